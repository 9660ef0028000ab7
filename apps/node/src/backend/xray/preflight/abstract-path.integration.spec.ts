import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@rampart/testing';
import { startEcho } from '../../../testing/clients/tunnel.js';
import { BackendFixture } from '../testing/test-backend.js';

const NAME = `rampart-abstract-${process.pid}`;
/** The address that the engine makes of two @ signs and a name. */
const ADDRESS = `\0${NAME}`.padEnd(108, '\0');

describe('an inbound on an abstract path', () => {
  const test = new BackendFixture();
  let echo: Awaited<ReturnType<typeof startEcho>>;
  let socket: Socket | undefined;

  beforeAll(async () => {
    echo = await startEcho();
  });
  afterAll(async () => {
    socket?.destroy();
    echo.close();
    await test.close();
  });

  const start = (tag: string) =>
    test.start({ inbounds: [{ tag, listen: `@@${NAME}`, protocol: 'http' }], outbounds: [{ protocol: 'freedom' }] });

  it('is handed over to another tag, and its connections live on', async () => {
    await start('one');
    socket = connect({ path: ADDRESS });
    socket.write(`CONNECT 127.0.0.1:${echo.port} HTTP/1.1\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1.1 200 /);
    await start('two');
    expect(await test.pids()).toHaveLength(2);
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    socket.destroy();
    await eventually(
      'the previous engine ends with its last connection',
      async (saw) => saw(await test.pids()).length === 1,
    );
  });
});
