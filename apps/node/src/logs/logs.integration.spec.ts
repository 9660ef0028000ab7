import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ALLOW_PRIVATE,
  type EngineClient,
  engineVersion,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../testing/clients/client-outbounds.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../testing/nodes/test-node.js';
import type { LogLine } from './log-ring.js';

const ID = '11111111-1111-4111-8111-111111111111';
const users = [{ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] }];

describe('the log of the real engine', () => {
  const leave = new AbortController();
  const seen: LogLine[] = [];
  let test: NodeFixture;
  let web: LocalWeb;
  let client: EngineClient;
  let port: number;
  let reading: Promise<void>;

  const config = (log: object) => ({
    log,
    inbounds: [{ tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }],
    outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
  });
  const start = (log: object) => test.node.start(startRequest(config(log), { users }));
  const linesOf = (pattern: RegExp, from = 0) => seen.slice(from).filter(({ detail }) => pattern.test(detail));
  const arrives = (what: string, pattern: RegExp, from = 0) =>
    eventually(what, (saw) => saw(linesOf(pattern, from)).length > 0);

  beforeAll(async () => {
    test = createNodeFixture();
    web = await startLocalWeb();
    port = await freePort();
    client = await startEngineClient(vlessOutbound(port, ID));
    await start({ loglevel: 'info' });
    reading = (async () => {
      for await (const lines of await test.node.logs({ signal: leave.signal })) seen.push(...lines);
    })();
  });
  afterAll(async () => {
    leave.abort();
    await reading;
    await client.close();
    await web.close();
    await test.close();
  });

  it('the engine log has access and error lines, and none about the API channel', async () => {
    expect(await client.fetch(web.url)).toBe(web.page);
    await arrives('the access line', /accepted .*\[vless >> direct\] email: 1\.ann$/);
    await arrives('a line of the error log', /\[Info\]/);
    expect(linesOf(/api\.rampart\.invalid|~rampart-(in|api)/)).toEqual([]);
  });

  it('the engine log continues for its readers across Stop and Start', async () => {
    const before = seen.length;
    await test.node.stop();
    await start({ loglevel: 'info' });
    await arrives('the banner of the next run', new RegExp(`^Xray ${engineVersion()} `), before);
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => BigInt(index + 1)));
  });

  it('the engine log has no access lines when the configuration disables them', async () => {
    await test.node.stop();
    const before = seen.length;
    await start({ access: 'none', loglevel: 'debug' });
    expect(await client.fetch(web.url)).toBe(web.page);
    await arrives('what the engine says of the request', /\[Debug\]/, before);
    await test.node.stop();
    expect(linesOf(/ accepted /, before)).toEqual([]);
  });
});
