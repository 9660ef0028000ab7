import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SUDO, TestManagement } from '../testing/test-management.js';

const CALLS: [line: string, body: string][] = [
  ['POST /api/user', '{"username":"bob"}'],
  ['PUT /api/user/ann', '{"note":"changed"}'],
  ['DELETE /api/user/ann', '{}'],
  ['DELETE /api/user/ann', ''],
];
const CHUNKS = 'transfer-encoding: chunked';
const chunk = (body: string) => (body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`);
const FRAMINGS: [name: string, header: string, frame: (body: string) => string][] = [
  ['before its content-length', 'content-length: 999', (body) => body],
  ['in a chunk', CHUNKS, (body) => `fff\r\n${body}`],
  ['between chunks', CHUNKS, chunk],
  ['in the end of its chunks', CHUNKS, (body) => `${chunk(body)}0\r\n`],
];

describe('a request whose body is cut off changes nothing, even when the received part is valid JSON', () => {
  let management: TestManagement;
  let port: number;
  let token: string;

  beforeAll(async () => {
    management = await TestManagement.start();
    port = await management.listen();
    token = await management.login(SUDO.username, SUDO.password);
    expect(await management.call('POST', '/api/user', { username: 'ann' })).toMatchObject({ status: 201 });
  });
  afterAll(() => management?.close());

  const users = async () => (await management.call('GET', '/api/users')).body;
  const request = (line: string, header: string, body: string): string =>
    [
      `${line} HTTP/1.1`,
      'host: a',
      `authorization: Bearer ${token}`,
      'content-type: application/json',
      header,
      '',
      body,
    ].join('\r\n');

  /** Sends a request, and returns its client socket after management has read all of it. */
  async function sent(bytes: string): Promise<Socket> {
    const { server } = management.app.getHttpAdapter().getInstance();
    const serving: Promise<Socket[]> = once(server, 'connection');
    const client = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    client.write(bytes);
    const [served] = await serving;
    while (served?.bytesRead !== bytes.length) await new Promise(setImmediate);
    return client;
  }

  describe.each([
    ['its socket is reset', (client: Socket) => client.resetAndDestroy()],
    ['its connection is ended', (client: Socket) => client.resume().end()],
  ])('when %s', (_breakOff, breakOff) => {
    describe.each(FRAMINGS)('%s', (_framing, header, frame) => {
      it.each(CALLS)('a request whose body is cut off changes nothing: %s %s', async (line, body) => {
        const before = await users();
        const client = await sent(request(line, header, frame(body)));
        breakOff(client);
        const { server } = management.app.getHttpAdapter().getInstance();
        const open = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
        while ((await open()) !== 0) await new Promise(setImmediate);
        expect(await users()).toEqual(before);
      });
    });
  });

  it.each([
    ['PUT /api/user/ann', '{"note":"changed"}', 200],
    ['POST /api/user', '{"username":"bob"}', 201],
    ['DELETE /api/user/ann', '{}', 204],
  ])('the same request with a complete body succeeds: %s %s', async (line, body, status) => {
    const before = await users();
    const client = await sent(request(line, `connection: close\r\n${CHUNKS}`, `${chunk(body)}0\r\n\r\n`));
    expect(await text(client)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await users()).not.toEqual(before);
  });
});
