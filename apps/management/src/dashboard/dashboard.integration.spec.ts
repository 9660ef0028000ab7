import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { fastify } from 'fastify';
import { TestManagement } from '../testing/test-management.js';
import { readDashboard } from './dashboard-files.js';
import { serveDashboard } from './serve-dashboard.js';

let management: TestManagement;
let without: TestManagement;
beforeAll(async () => {
  [management, without] = await Promise.all([
    TestManagement.start(),
    TestManagement.start({ RAMPART_DASHBOARD: 'false' }),
  ]);
});
afterAll(() => Promise.all([management?.close(), without?.close()]));

const NOT_FOUND = { status: 404, body: { detail: 'Not Found', code: 'NOT_FOUND' } };
const HTML = { accept: 'text/html,application/xhtml+xml' };
const get = (url: string, headers: Record<string, string> = {}) =>
  management.app.inject({ method: 'GET', url, headers });

describe('the dashboard', () => {
  it('has a page for each of its addresses, with a nonce of its own in every answer', async () => {
    const nonces = await Promise.all(
      ['/dashboard/', '/dashboard/users/ali'].map(async (url) => {
        const { statusCode, headers, payload } = await get(url);
        const nonce = /nonce-([\w-]{24})'/.exec(String(headers['content-security-policy']))?.[1];
        expect({ statusCode, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
          statusCode: 200,
          type: 'text/html; charset=utf-8',
          cache: 'no-store',
        });
        expect(headers['content-security-policy']).toBe(
          `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        );
        expect(payload).toContain(`<meta property="csp-nonce" nonce="${nonce}">`);
        expect(payload).not.toContain('__NONCE__');
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });

  it('has files that never change, in the best form that the browser takes', async () => {
    const { payload: page } = await get('/dashboard/');
    const url = /src="([^"]+\/start-[^"]+\.js)"/.exec(page)?.[1] ?? '';
    const [plain, gzip, brotli] = await Promise.all([
      get(url),
      get(url, { 'accept-encoding': 'gzip;q=1.0, br;q=0' }),
      get(url, { 'accept-encoding': 'gzip, deflate, br' }),
    ]);
    expect([plain, gzip, brotli].map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip', 'br']);
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    expect(brotli.rawPayload.length).toBeLessThan(gzip.rawPayload.length);
    expect(gzip.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2);
  });

  it('has an icon that browsers ask for again, because its name stays when it changes', async () => {
    const { statusCode, headers } = await get('/dashboard/icon.svg');
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'image/svg+xml', 'cache-control': 'no-cache' });
  });

  it.each(['/dashboard/assets/none.js', '/dashboard/assets/../../package.json', '/dashboard/assets/%2e%2e/index.html'])(
    'has no file %s',
    async (url) => {
      const { payload } = await get(url);
      expect(payload === '' || payload.startsWith('{"detail":"Not Found"') || payload.includes('<div id="root">')).toBe(
        true,
      );
      expect(payload).not.toContain('"name"');
    },
  );

  it('browsers that ask for / are led to the dashboard, and for others nothing is there', async () => {
    const { statusCode, headers } = await get('/', HTML);
    expect([statusCode, headers['location']]).toEqual([302, '/dashboard/']);
    expect((await get('/dashboard')).headers['location']).toBe('/dashboard/');
    expect(await management.call('GET', '/', undefined, '')).toEqual(NOT_FOUND);
    expect(await management.call('POST', '/', {}, '')).toEqual(NOT_FOUND);
    expect(await management.call('POST', '/dashboard/', {}, '')).toEqual(NOT_FOUND);
  });

  it('RAMPART_DASHBOARD=false turns the dashboard off', async () => {
    expect(await without.call('GET', '/dashboard/', undefined, '', HTML)).toEqual(NOT_FOUND);
    expect(await without.call('GET', '/', undefined, '', HTML)).toEqual(NOT_FOUND);
  });
});

describe(readDashboard.name, () => {
  it('a file that another build has replaced since the start is not found', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rampart-dashboard-'));
    writeFileSync(join(folder, 'index.html'), '');
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets/a.js'), 'one');
    const server = fastify();
    serveDashboard(server, folder);
    const status = async () => (await server.inject('/dashboard/assets/a.js')).statusCode;
    expect(await status()).toBe(200);
    rmSync(folder, { recursive: true });
    expect(await status()).toBe(404);
    await server.close();
  });

  it('a file that cannot be read is a failure of the server, and the log says why', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const folder = mkdtempSync(join(tmpdir(), 'rampart-dashboard-'));
    writeFileSync(join(folder, 'index.html'), '');
    writeFileSync(join(folder, 'a.js'), 'one');
    const server = fastify();
    serveDashboard(server, folder);
    rmSync(join(folder, 'a.js'));
    symlinkSync('a.js', join(folder, 'a.js'));
    const { statusCode, body } = await server.inject('/dashboard/a.js');
    expect([statusCode, JSON.parse(body)]).toEqual([500, { detail: 'Internal error', code: 'INTERNAL' }]);
    expect(error.mock.calls).toEqual([[expect.stringMatching(/^a file of the dashboard cannot be read: ELOOP/)]]);
    error.mockRestore();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('lists the files of known types, and is undefined where nothing is built', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rampart-dashboard-'));
    expect(readDashboard(folder)).toBeUndefined();
    mkdirSync(join(folder, 'assets'));
    for (const name of ['index.html', 'assets/a.js', 'assets/a.js.br', 'assets/a.js.gz', 'assets/b.exe'])
      writeFileSync(join(folder, name), name);
    const { page, files } = readDashboard(folder) ?? {};
    rmSync(folder, { recursive: true });
    expect(page).toBe('index.html');
    expect([...(files ?? [])].map(([name, { encodings }]) => [name, [...encodings.keys()]])).toEqual([
      ['assets/a.js', ['br', 'gzip']],
    ]);
  });
});
