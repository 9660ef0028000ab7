import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestManagement } from '../testing/test-management.js';

let management: TestManagement;
let authorization: string;
let link: string;
beforeAll(async () => {
  management = await TestManagement.start();
  await management.database.query(`INSERT INTO users (username) SELECT 'user' || n FROM generate_series(1, 700) n`);
  authorization = `Bearer ${await management.login('root', 'correct horse battery')}`;
  await management.call('POST', '/api/group', { name: 'all', inbound_tags: ['Shadowsocks TCP'] });
  for (let priority = 0; priority < 30; priority += 1)
    await management.call('POST', '/api/host', {
      remark: `h${priority}`,
      inbound_tag: 'Shadowsocks TCP',
      address: ['a.example'],
      priority,
    });
  const { body } = await management.call('POST', '/api/user', { username: 'fetched', group_ids: [1] });
  link = new URL(Object(body).subscription_url).pathname;
});
afterAll(() => management?.close());

async function get(url: string, headers: Record<string, string>) {
  const answer = await management.app.inject({ method: 'GET', url, headers: { authorization, ...headers } });
  return {
    status: answer.statusCode,
    encoding: answer.headers['content-encoding'],
    vary: answer.headers.vary,
    raw: answer.rawPayload,
  };
}

describe('an answer', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', brotliDecompressSync],
  ] as const)('of a list is compressed for a client that accepts %s', async (accepted, decompress) => {
    const plain = await get('/api/users', {});
    const { status, encoding, vary, raw } = await get('/api/users', { 'accept-encoding': accepted });
    expect({ status, encoding, vary }).toEqual({
      status: 200,
      encoding: accepted.includes('br') ? 'br' : 'gzip',
      vary: 'accept-encoding',
    });
    expect(decompress(raw).equals(plain.raw)).toBe(true);
    expect(raw.length).toBeLessThan(plain.raw.length / 4);
  });

  it.each(['identity', 'deflate', 'unknown', 'gzip;q=0'])(
    'of a list is not compressed for a client that accepts %s',
    async (accepted) => {
      const { status, encoding, raw } = await get('/api/users', { 'accept-encoding': accepted });
      expect([status, encoding, JSON.parse(raw.toString()).total]).toEqual([200, undefined, 701]);
    },
  );

  it('of few bytes is not compressed', async () => {
    const { status, encoding } = await get('/api/admin', { 'accept-encoding': 'br' });
    expect([status, encoding]).toEqual([200, undefined]);
  });

  it('with a subscription is not compressed', async () => {
    const { status, encoding, raw } = await get(`${link}/links`, { 'accept-encoding': 'br, gzip' });
    expect([status, encoding, raw.length > 1024]).toEqual([200, undefined, true]);
  });

  it('with the document of the API is compressed', async () => {
    const { status, encoding } = await get('/api/openapi.json', { 'accept-encoding': 'br, gzip' });
    expect([status, encoding]).toEqual([200, 'br']);
  });
});

it('the body of a request that is compressed is refused', async () => {
  const headers = { authorization, 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const payload = Buffer.from('1f8b', 'hex');
  const answer = await management.app.inject({ method: 'POST', url: '/api/user', headers, payload });
  expect(answer.statusCode).toBe(422);
});
