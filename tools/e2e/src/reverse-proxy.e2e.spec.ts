import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Api, eventually, freePort, ProgramProcess, scratchFolder, showOutputOnFailure } from '@rampart/testing';

jest.setTimeout(120_000);

const [, GUIDE = ''] = readFileSync(join(import.meta.dirname, '../../../docs/operators.md'), 'utf8').split(
  '## A reverse proxy\n',
);
const ROOT = { username: 'root', password: 'a password behind a proxy' };
const HOST = 'panel.example.com';
/** Another loopback address than the proxy's own. */
const CLIENT = '127.0.0.2';
const PATH = `${process.env['PATH']}:/usr/sbin`;

const has = (program: string) =>
  spawnSync(program, ['--version'], { env: { PATH }, stdio: 'ignore' }).error === undefined;

const root = mkdtempSync(join(scratchFolder(), 'rampart-proxy-'));
const [certificate, key] = [join(root, 'certificate.pem'), join(root, 'key.pem')];
let management: ProgramProcess;
let api: Api;
let managementPort: number;
const proxies: ChildProcess[] = [];

/** The only block of the guide in this language. */
function block(language: string): string {
  const [found, ...others] = [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))];
  expect(others).toEqual([]);
  return found?.[1] ?? '';
}

/** Replaces what differs between the guide and this test. Every text must be there, so that the test runs what the guide shows. */
function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((before, [from, to]) => {
    expect(before).toContain(from);
    return before.replaceAll(from, to);
  }, text);
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends a request from another address than the proxy's. */
function send(port: number, method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: '127.0.0.1',
        port,
        localAddress: CLIENT,
        servername: HOST,
        rejectUnauthorized: false,
        method,
        path,
        headers: { host: HOST, ...headers },
      },
      async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() });
      },
    );
    call.once('error', reject).end(body);
  });
}

async function startProxy(port: number, command: string, ...args: string[]): Promise<void> {
  const proxy = spawn(command, args, {
    env: { ...process.env, PATH, HOME: root },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  proxies.push(proxy);
  let output = '';
  showOutputOnFailure(command, () => output);
  proxy.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  await eventually(
    `${command} answers`,
    async () => {
      if (proxy.exitCode !== null) throw new Error(`${command} ended: ${output}`);
      return send(port, 'GET', '/health', {}).then(
        ({ status }) => status === 200,
        () => false,
      );
    },
    20_000,
  );
}

/** Everything that a proxy can break: the address of the client, the cookie of a browser, large bodies, the public URL of subscriptions. */
async function expectProxied(port: number, name: string): Promise<void> {
  const form = new URLSearchParams({ username: ROOT.username, password: `not ${ROOT.password}` }).toString();
  const type = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '192.0.2.1' };
  expect((await send(port, 'POST', '/api/admin/token', type, form)).status).toBe(401);
  const { entries } = await api.get<{ entries: { action: string; address: string }[] }>(
    '/api/audit?action=admin.login_failed',
  );
  expect(entries[0]).toMatchObject({ address: CLIENT });

  const own = { 'content-type': 'application/json', 'x-rampart-dashboard': '1' };
  const session = await send(port, 'POST', '/api/admin/session', own, JSON.stringify(ROOT));
  expect(session.headers['set-cookie']).toEqual([
    expect.stringMatching(/^__Host-rampart_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
    expect.stringMatching(
      /^__Host-rampart_device=[\w-]{43}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    ),
  ]);
  expect(session.headers).toMatchObject({
    'strict-transport-security': 'max-age=31536000',
    'cross-origin-opener-policy': 'same-origin',
  });
  const [cookie = ''] = session.headers['set-cookie']?.[0]?.split(';') ?? [];
  expect((await send(port, 'GET', '/api/admin', { cookie })).status).toBe(200);

  const user = await api.create<{ subscription_url: string }>('/api/user', { username: name });
  expect(user.subscription_url).toMatch(new RegExp(`^https://${HOST}/sub/`));
  const page = await send(port, 'GET', new URL(user.subscription_url).pathname, {
    accept: 'text/html',
    'user-agent': 'Mozilla/5.0',
  });
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining(name) });

  const large = JSON.stringify({ username: 'x'.repeat(8 * 2 ** 20) });
  const refused = await send(port, 'POST', '/api/user', { 'content-type': 'application/json' }, large);
  expect(refused).toMatchObject({ status: 401, text: expect.stringContaining('code') });
}

beforeAll(async () => {
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      `/CN=${HOST}`,
      '-addext',
      `subjectAltName=DNS:${HOST}`,
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { stdio: 'ignore' },
  );
  managementPort = await freePort();
  const settings = [...GUIDE.matchAll(/^(RAMPART_(?:HOST|PUBLIC_URL|TRUSTED_PROXIES))=(.*)$/gm)].slice(0, 3);
  management = new ProgramProcess('management', {
    ...Object.fromEntries(settings.map(([, name, value]) => [name, value])),
    RAMPART_PORT: String(managementPort),
    RAMPART_DATA_DIR: join(root, 'management'),
    RAMPART_ADMIN_USERNAME: ROOT.username,
    RAMPART_ADMIN_PASSWORD: ROOT.password,
  });
  const url = `http://127.0.0.1:${managementPort}`;
  await management.printed(`Ready on ${url}`);
  api = await new Api(url).login(ROOT.username, ROOT.password);
});
afterAll(async () => {
  for (const proxy of proxies.filter(({ exitCode }) => exitCode === null)) {
    proxy.kill('SIGTERM');
    await once(proxy, 'exit');
  }
  await management?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('management behind a reverse proxy with the configuration of docs/operators.md', () => {
  (has('nginx') ? it : it.skip)(
    'security row 46: nginx of the guide passes on the client, its body and its page (needs Debian package nginx-light)',
    async () => {
      const port = await freePort();
      const server = replaced(block('nginx'), {
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        [`/etc/letsencrypt/live/${HOST}/fullchain.pem`]: certificate,
        [`/etc/letsencrypt/live/${HOST}/privkey.pem`]: key,
        '127.0.0.1:8000': `127.0.0.1:${managementPort}`,
      });
      const folder = join(root, 'nginx');
      mkdirSync(folder);
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const file = join(root, 'nginx.conf');
      writeFileSync(
        file,
        `${process.getuid?.() === 0 ? 'user root;\n' : ''}daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths.join('\n')}\n${server}}\n`,
      );
      await startProxy(port, 'nginx', '-c', file);
      await expectProxied(port, 'behind-nginx');
    },
  );

  (has('caddy') ? it : it.skip)(
    'security row 46: Caddy of the guide passes on the client, its body and its page (needs Debian package caddy)',
    async () => {
      const port = await freePort();
      const site = replaced(block('caddy'), {
        [`${HOST} {\n`]: `https://${HOST}:${port} {\n\ttls ${certificate} ${key}\n`,
        '127.0.0.1:8000': `127.0.0.1:${managementPort}`,
      });
      const file = join(root, 'Caddyfile');
      writeFileSync(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
      await startProxy(port, 'caddy', 'run', '--adapter', 'caddyfile', '--config', file);
      await expectProxied(port, 'behind-caddy');
    },
  );
});
