import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort, type LocalWeb, startEngineClient, startLocalWeb } from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { MuxConnection } from '../../../testing/clients/mux-sessions.js';
import { testSettings } from '../../../testing/nodes/test-node.js';
import { BackendFixture } from '../testing/test-backend.js';

const ID = '11111111-1111-4111-8111-111111111111';
const FILES = 300;
const ALL_OPEN = `the engine takes no new connections: all of its ${FILES} files are open; users who open thousands of connections or sessions at a time can be the cause, or RAMPART_NODE_ENGINE_FILES allows more`;

describe('the open files of the engine', () => {
  let web: LocalWeb;
  let sink: Socket;
  let port: number;
  const opened: { close(): unknown }[] = [];
  const track = <T extends { close(): unknown }>(part: T): T => {
    opened.push(part);
    return part;
  };

  const start = async (keepSeconds: number, keeper = testSettings()): Promise<BackendFixture> => {
    const test = track(new BackendFixture({ ...keeper, engine: { ...keeper.engine, files: FILES }, keepSeconds }));
    await test.start(config(), users);
    return test;
  };
  const config = () => ({
    log: { loglevel: 'debug' },
    inbounds: [{ tag: 'in', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }],
    outbounds: [{ protocol: 'freedom', settings: { finalRules: [{ action: 'allow' }] } }],
    policy: { levels: { 0: { connIdle: 4 } } },
  });
  const users = [{ email: '1.ann', inbounds: ['in'], proxies: { vless: { id: ID } } }];

  beforeAll(async () => {
    web = await startLocalWeb();
    sink = createSocket('udp4').bind(0, '127.0.0.1');
    await once(sink, 'listening');
    port = await freePort();
  });
  afterEach(async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
  });
  afterAll(async () => {
    sink.close();
    await web.close();
  });

  it.each([
    ['', 0],
    [' that may outlive the node', 60],
  ])(
    'security row 128: sessions of one connection that take all files of an engine%s are told of until they end',
    async (_what, keepSeconds) => {
      const test = await start(keepSeconds);
      const [pid] = await test.pids();
      expect(await readFile(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max open files +300 +300 +files/m);
      const client = track(await startEngineClient(vlessOutbound(port, ID)));
      expect(await client.fetch(web.url)).toBe(web.page);
      await eventually(
        'files are counted',
        async (saw) => saw((await test.backend.figures()).files?.limit) === FILES,
        20_000,
      );

      const attack = track(await MuxConnection.open(port, ID));
      attack.openUdpSessions(FILES, sink.address().port);
      await eventually('the node says it', (saw) => saw(test.backend.warnings).includes(ALL_OPEN), 30_000);
      const { files, accepting } = await test.backend.figures();
      expect([files?.limit, accepting]).toEqual([FILES, false]);
      expect(files?.open).toBeGreaterThan(FILES - 10);
      expect(attack.sent).toBeLessThan(6000);
      await eventually('its log says it', (saw) => saw(test.notes.at(-1)) === `[rampart] ${ALL_OPEN}`);

      attack.close();
      await eventually('it takes connections again', (saw) => saw(test.backend.warnings).length === 0, 30_000);
      expect(await client.fetch(web.url)).toBe(web.page);
      expect(await test.pids()).toEqual([pid]);
      expect(test.lines.filter((line) => line.includes('proxy/http'))).toEqual([]);
      const told = '[rampart] the engine takes new connections, and has files left for them';
      await eventually('its log says so', (saw) => saw(test.notes.at(-1)) === told);
    },
  );
});
