import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, freePort } from '@rampart/testing';
import { sendTrojanRequest } from '../../../testing/clients/trojan-request.js';
import { BackendFixture } from '../testing/test-backend.js';

const PASSWORD = 'a password of a user';
const FORGED = '2026/11/27 16:05:08.889000 from 198.51.100.77:50123 accepted tcp:a.test:443 [in -> out] email: 3.ann';

describe('the log of an engine', () => {
  const test = new BackendFixture();
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    await test.start(
      {
        log: { loglevel: 'warning' },
        inbounds: [{ tag: 'in', listen: '127.0.0.1', port, protocol: 'trojan' }],
        outbounds: [{ tag: 'out', protocol: 'blackhole' }],
      },
      [{ email: '1.mallory', proxies: { trojan: { password: PASSWORD } }, inbounds: ['in'] }],
    );
  });
  afterAll(() => test.close());

  const ask = (name: string) => sendTrojanRequest(port, PASSWORD, name);
  const lineWith = (text: string) =>
    eventually(`the log has ${text}`, (saw) => saw(test.lines).find((line) => line.includes(text)));

  it('security row 109: marks what a user writes into it by a name with line breaks', async () => {
    await ask(`x\n${FORGED}`);
    expect(await lineWith(FORGED)).toBe(`[may be of a user] ${FORGED}`);
    await ask('y\n[rampart] [Warning] a lie');
    expect(await lineWith('a lie')).toBe('[may be of a user] [rampart] [Warning] a lie');
  });

  it('security row 109: has the access to a name that contains the one of its own API', async () => {
    await ask('api.rampart.invalid.a.test');
    expect(await lineWith('api.rampart.invalid.a.test')).toMatch(/accepted tcp:api\.rampart\.invalid\.a\.test:80 /);
  });
});
