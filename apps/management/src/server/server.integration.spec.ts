import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { readManagementEnv } from '../env/management-env.js';
import { routesOf } from '../testing/routes.js';
import { SUDO, TestManagement } from '../testing/test-management.js';
import { answerHeaders } from './answer-headers.js';

const NOT_FOUND = { status: 404, text: '{"detail":"Not Found","code":"NOT_FOUND"}' };
const SAFE = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

let management: TestManagement;
let port: number;
beforeAll(async () => {
  const settings = { RAMPART_BODY_LIMIT_MIB: '2', RAMPART_CORS_ORIGINS: 'https://a.example,https://b.example:8443' };
  management = await TestManagement.start(settings);
  port = await management.listen();
});
afterAll(() => management?.close());

/** Sends raw lines, and returns the answer after the server has closed the connection. */
async function raw(lines: readonly string[]): Promise<{ status: number; headers: string; body: string }> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  const answer = await text(socket);
  const [headers = '', body = ''] = answer.split('\r\n\r\n', 2);
  return { status: Number(headers.split(' ')[1]), headers, body };
}

const inject = (method: 'GET' | 'OPTIONS' | 'PATCH' | 'POST', url: string, headers: Record<string, string> = {}) =>
  management.app.inject({ method, url, headers });

describe('every answer', () => {
  it('has the headers that prevent caching and leaking', async () => {
    const urls = [
      '/health',
      '/api/cores',
      '/api/nothing',
      '/api/user/%zz',
      '/sub/x',
      '/api/user/nobody',
      '/api/host/x',
    ];
    for (const url of urls) {
      expect({ url, headers: (await management.request('GET', url)).headers }).toMatchObject({ url, headers: SAFE });
    }
    expect((await management.request('GET', '/api/cores', undefined, '')).headers).toMatchObject(SAFE);
  });

  it('security row 46: tells browsers to use HTTPS alone where the public URL does, for RAMPART_HSTS_SECONDS', async () => {
    const told = 'strict-transport-security';
    for (const url of ['/dashboard/', '/api/admin', '/sub/x', '/api/user/%zz'])
      expect([url, (await management.request('GET', url)).headers[told]]).toEqual([url, 'max-age=31536000']);
    const headersAt = (url: string) =>
      answerHeaders(readManagementEnv({ RAMPART_PUBLIC_URL: url, RAMPART_HSTS_SECONDS: '0' }))[told];
    expect([headersAt('https://panel.example'), headersAt('http://panel.example')]).toEqual(['max-age=0', undefined]);
  });

  it('security row 28: an unknown route, a bad subscription token and a broken address get the same answer', async () => {
    const ownOfEachAnswer = ['date', 'vary', 'x-request-id'];
    const shown = async (url: string) => {
      const { headers, ...answer } = await management.request('GET', url, undefined, '');
      return { ...answer, headers: Object.entries(headers).filter(([name]) => !ownOfEachAnswer.includes(name)) };
    };
    const unknown = await shown('/no/such/route');
    expect(unknown).toMatchObject(NOT_FOUND);
    for (const url of ['/sub/x', '/sub/x/links', '/sub/x/odd', '/sub/%00', '/sub/%zz', `/sub/${'x'.repeat(513)}`]) {
      expect({ url, ...(await shown(url)) }).toEqual({ url, ...unknown });
    }
  });
});

describe('a method that a path does not have', () => {
  it.each([
    ['PATCH', '/api/user/alice', 'DELETE, GET, HEAD, PUT'],
    ['POST', '/api/users?limit=1', 'GET, HEAD'],
    ['POST', '/api/settings/', 'GET, HEAD, PUT'],
    ['GET', '/api/admin/token', 'POST'],
    ['POST', '/sub/x', 'GET, HEAD'],
  ] as const)('is refused: %s %s', async (method, url, allow) => {
    const { statusCode, headers, body } = await inject(method, url);
    expect({ status: statusCode, body }).toEqual({
      status: 405,
      body: '{"detail":"Method Not Allowed","code":"METHOD_NOT_ALLOWED"}',
    });
    expect(String(headers['allow']).split(', ')).toEqual(expect.arrayContaining(allow.split(', ')));
  });

  it('is answered with 405 on every route', async () => {
    const routes = routesOf(management.app);
    const patched = new Set(routes.flatMap(({ method, path }) => (method === 'PATCH' ? path : [])));
    for (const { method, path } of routes.filter((route) => !patched.has(route.path))) {
      const { statusCode, headers } = await inject('PATCH', path.replaceAll(/:\w+/g, '1'));
      expect({ path, status: statusCode, allow: headers['allow'] }).toEqual({
        path,
        status: 405,
        allow: expect.stringMatching(new RegExp(`\\b${method}\\b`)),
      });
    }
  });
});

describe('a body', () => {
  const head = (method: string, path: string, length = 1_000_000, token = '') => [
    `${method} ${path} HTTP/1.1`,
    'host: a',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${length}`,
    'connection: close',
    '',
    '',
  ];

  it('is not awaited when the caller may not call, or the route does not exist', async () => {
    expect(await raw(head('POST', '/api/core'))).toMatchObject({ status: 401 });
    expect(await raw(head('POST', '/api/nothing'))).toMatchObject({ status: 404 });
    expect(await raw(head('PATCH', '/api/core/1'))).toMatchObject({ status: 405 });
  });

  it('is limited by the setting on sudo routes, and to less on other routes', async () => {
    const tooLarge = (size: string) => ({
      status: 413,
      body: `{"detail":"The body is larger than ${size}","code":"BODY_TOO_LARGE"}`,
    });
    const token = await management.login(SUDO.username, SUDO.password);
    expect(await raw(head('POST', '/api/core', 2 ** 21 + 1, token))).toMatchObject(tooLarge('2 MiB'));
    expect(await raw(head('POST', '/api/user', 2 ** 20 + 1, token))).toMatchObject(tooLarge('1 MiB'));
    expect(await raw(head('POST', '/api/admin/token', 2 ** 15 + 1))).toMatchObject(tooLarge('32 KiB'));
  });
});

describe('a form', () => {
  it('is accepted only by the login', async () => {
    const token = await management.login(SUDO.username, SUDO.password);
    const { statusCode, body } = await management.app.inject({
      method: 'POST',
      url: '/api/admin',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ username: 'anna', password: SUDO.password, is_sudo: 'true' }).toString(),
    });
    expect({ statusCode, body }).toEqual({
      statusCode: 415,
      body: '{"detail":"The body must be JSON","code":"MEDIA_TYPE_UNSUPPORTED"}',
    });
  });
});

describe('a proxy that no setting names', () => {
  it('is logged once, when its address is private', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    const from = (remoteAddress: string, headers = {}) =>
      management.app.inject({ method: 'GET', url: '/health', remoteAddress, headers });
    const forwarded = { 'x-forwarded-for': '198.51.100.1' };
    await from('10.0.0.1');
    await from('9.9.9.9', forwarded);
    expect(warn).not.toHaveBeenCalled();
    await from('::ffff:10.0.0.1', forwarded);
    await from('10.0.0.2', forwarded);
    expect(warn.mock.calls).toEqual([
      ['::ffff:10.0.0.1 sends X-Forwarded-For, but RAMPART_TRUSTED_PROXIES does not name it: its clients count as one'],
    ]);
    warn.mockRestore();
  });
});

describe('a slow client', () => {
  it('has limited time to send its headers, its body, and anything at all', () => {
    const { headersTimeout, requestTimeout, timeout } = management.app.getHttpServer();
    expect({ headersTimeout, requestTimeout, timeout }).toEqual({
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      timeout: 120_000,
    });
  });
});

describe('an unusual request target', () => {
  it.each([
    ['GET http://other.example/api/cores', 401],
    ['GET //api/cores', 404],
    ['GET /api/../api/cores', 404],
    ['GET /api/core/1%2frestart', 401],
    ['GET /api/cores;a=b', 404],
    ['GET /API/cores', 404],
    ['TRACE /api/cores', 405],
    ['PROPFIND /api/cores', 405],
  ])('reaches no unintended route: %s', async (line, status) => {
    const { body, ...answer } = await raw([`${line} HTTP/1.1`, 'host: a', 'connection: close', '', '']);
    expect({ status: answer.status, body: JSON.parse(body) }).toEqual({
      status,
      body: { detail: expect.any(String), code: expect.any(String) },
    });
  });
});

describe('malformed HTTP', () => {
  const POST = ['POST /api/admin/token HTTP/1.1', 'host: a', 'content-length: 1', 'transfer-encoding: chunked'];

  it.each([
    ['HEADERS_TOO_LARGE', 431, 'The headers are too large', ['GET / HTTP/1.1', `x: ${'x'.repeat(17 * 1024)}`]],
    ['NOT_HTTP', 400, 'This is no HTTP request', ['SSH-2.0-OpenSSH']],
    ['NOT_HTTP', 400, 'This is no HTTP request', POST],
    ['NOT_HTTP', 400, 'This is no HTTP request', ['GET /health HTTP/1.1', 'connection: close']],
  ])('is answered with the usual error body: %s', async (code, status, detail, lines) => {
    const answer = await raw([...lines, '', '']);
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({ status, body: { detail, code } });
    expect(answer.headers).toContain('x-content-type-options: nosniff');
  });
});

describe('an Expect header', () => {
  it.each([
    ['odd', ['HTTP/1.1 200 OK']],
    ['100-continue', ['HTTP/1.1 100 Continue', 'HTTP/1.1 200 OK']],
  ])('with %s is fulfilled or ignored', async (expectation, statuses) => {
    const { headers, body } = await raw([
      'GET /health HTTP/1.1',
      'host: a',
      `expect: ${expectation}`,
      'connection: close',
      '',
      '',
    ]);
    expect(`${headers}\r\n${body}`.match(/^HTTP.*$/gm)).toEqual(statuses);
  });
});

describe('pages of other origins', () => {
  const origin = 'https://b.example:8443';
  const asks = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };

  it('may call when RAMPART_CORS_ORIGINS names them', async () => {
    const { statusCode, headers } = await inject('OPTIONS', '/api/settings', { origin, ...asks });
    expect({ statusCode, headers }).toMatchObject({
      statusCode: 204,
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-methods': expect.stringContaining('PUT'),
        'access-control-allow-headers': 'authorization',
      },
    });
    expect((await inject('GET', '/api/settings', { origin })).headers).toMatchObject({
      'access-control-allow-origin': origin,
      vary: expect.stringMatching(/origin/i),
    });
  });

  it('may not call without RAMPART_CORS_ORIGINS', async () => {
    const other = { origin: 'https://evil.example' };
    expect((await inject('GET', '/health', other)).headers).not.toHaveProperty('access-control-allow-origin');
    expect((await inject('OPTIONS', '/api/settings', { ...other, ...asks })).headers).not.toHaveProperty(
      'access-control-allow-origin',
    );
  });
});
