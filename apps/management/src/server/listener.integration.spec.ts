import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import https from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import tls, { type ConnectionOptions, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { until } from '@rampart/testing';
import { TestManagement } from '../testing/test-management.js';

describe('HTTPS of management', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rampart-https-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  let management: TestManagement;
  let port: number;
  /** When a connection without a handshake is closed, which takes as long as other tests. */
  let silentEnds: Promise<number>;

  const issue = (certFile: string, keyFile: string): void => {
    const [request, days] = [
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost',
      '-days 2',
    ];
    execFileSync('openssl', [...request.split(' '), ...days.split(' '), '-out', certFile, '-keyout', keyFile], {
      stdio: 'ignore',
    });
  };
  const secure = async (options: ConnectionOptions = {}): Promise<TLSSocket> => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    await once(socket, 'secureConnect');
    return socket;
  };
  const shown = async (): Promise<string> => {
    const socket = await secure();
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  };

  beforeAll(async () => {
    issue(cert, key);
    const settings = { RAMPART_TLS_CERT: cert, RAMPART_TLS_KEY: key, RAMPART_PUBLIC_URL: '' };
    management = await TestManagement.start({ ...settings, RAMPART_MAX_SOCKETS: '16' });
    port = await management.listen();
    const silent = connect({ host: '127.0.0.1', port });
    const began = performance.now();
    silentEnds = once(silent.resume(), 'close').then(() => performance.now() - began);
    silentEnds.catch(() => undefined);
  });
  afterAll(async () => {
    warn.mockRestore();
    await management?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('answers over TLS', async () => {
    const request = https.get({ port, host: '127.0.0.1', path: '/health', rejectUnauthorized: false, agent: false });
    const [response] = await once(request, 'response');
    expect([response.statusCode, String(await buffer(response))]).toEqual([200, '{"status":"ok"}']);
  });

  it('makes subscription URLs with https', async () => {
    const { body } = await management.call('POST', '/api/user', { username: 'https_user', proxy_settings: {} });
    expect(Reflect.get(Object(body), 'subscription_url')).toMatch(/^https:\/\/\S+:8000\/sub\//);
  });

  it('refuses renegotiation and old suites', async () => {
    const socket = await secure({ maxVersion: 'TLSv1.2' });
    socket.renegotiate({ rejectUnauthorized: false }, () => undefined);
    await expect(once(socket, 'close')).rejects.toThrow('no renegotiation');
    const old = secure({ maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0' });
    await expect(old).rejects.toThrow('handshake failure');
  });

  it.each(['ffdhe8192', 'ffdhe2048', 'P-521'])('security row 125: refuses the costly group %s', async (ecdhCurve) => {
    await expect(secure({ minVersion: 'TLSv1.3', ecdhCurve })).rejects.toThrow('handshake failure');
  });

  it('closes a connection that speaks plain HTTP', async () => {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket.resume(), 'close');
  });

  it('uses a new certificate when both files have changed, without closing connections', async () => {
    const before = await shown();
    const old = await secure();
    const [newCert, newKey] = [join(folder, 'new-cert.pem'), join(folder, 'new-key.pem')];
    issue(newCert, newKey);
    warn.mockClear();
    renameSync(newCert, cert);
    await until((saw) => saw(warn.mock.calls).length > 0);
    expect(warn.mock.calls).toEqual([
      [
        "The certificate files cannot be used, so the old certificate stays in use: RAMPART_TLS_CERT and RAMPART_TLS_KEY: this private key is not the certificate's.",
      ],
    ]);
    expect(await shown()).toBe(before);
    renameSync(newKey, key);
    await until(async (saw) => saw(await shown()) !== before);
    expect(old.destroyed).toBe(false);
    old.destroy();
  }, 40_000);

  it('closes a connection whose handshake is not done within 10 s', async () => {
    const closedAfterMs = await silentEnds;
    expect(closedAfterMs).toBeGreaterThan(9_000);
    expect(closedAfterMs).toBeLessThan(12_000);
  }, 20_000);

  it('limits the number of open sockets, and logs it', async () => {
    const sockets: Socket[] = [];
    warn.mockClear();
    for (let count = 0; count < 20; count += 1) {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
      sockets.push(socket.resume());
      await once(socket, 'connect');
    }
    await until((saw) => saw(sockets).filter((one) => one.closed).length === 4);
    expect(warn.mock.calls.map(([line]) => line)).toEqual([
      'All 16 sockets are in use: connections are closed. Put a proxy with a cache or limits in front, or raise RAMPART_MAX_SOCKETS.',
    ]);
    for (const socket of sockets) socket.destroy();
  });
});

describe('behind a proxy', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  let management: TestManagement;
  let port: number;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    management = await TestManagement.start({ RAMPART_TRUSTED_PROXIES: '127.0.0.1', RAMPART_MAX_SOCKETS: '16' });
    port = await management.listen();
  });
  afterAll(async () => {
    warn.mockRestore();
    for (const socket of sockets) socket.destroy();
    await management?.close();
  });

  /** A request whose body never ends, as Caddy passes it on. */
  const slow = async (client: string): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined);
    sockets.push(socket.resume());
    await once(socket, 'connect');
    socket.write(
      `POST /api/admin/token HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{`,
    );
    return socket;
  };
  const statusFor = async (client: string): Promise<number> => {
    const headers = { 'x-forwarded-for': client };
    return (await fetch(`http://127.0.0.1:${port}/health`, { headers })).status;
  };

  it('security row 137: a client of a proxy that holds most connections loses its oldest to others', async () => {
    const one = await slow('198.51.100.7');
    const many: Socket[] = [];
    for (let n = 0; n < 15; n += 1) many.push(await slow('203.0.113.5'));
    // What was sent is read after this answer at the latest.
    await management.call('GET', '/health');
    for (let n = 0; n < 3; n += 1) expect(await statusFor(`192.0.2.${n}`)).toBe(200);
    await until((saw) => saw(many.map(({ closed }) => closed)).includes(true));
    expect([one.closed, many[0]?.closed, many.at(-1)?.closed]).toEqual([false, true, false]);
  });

  it('security row 138: addresses that a proxy forwards with ports are those without', async () => {
    for (const client of ['203.0.113.77:1', '203.0.113.77:2', '[2001:db8::77]:3']) {
      const headers = { 'x-forwarded-for': client, 'content-type': 'application/json' };
      const body = JSON.stringify({ username: 'nobody', password: 'no password of anybody' });
      await fetch(`http://127.0.0.1:${port}/api/admin/token`, { method: 'POST', headers, body });
    }
    const { body } = await management.call('GET', '/api/audit?limit=100');
    const addresses = Object(body).entries.map(({ address }: { address: string }) => address);
    expect(addresses).toContain('203.0.113.77');
    expect(addresses.join()).not.toContain('203.0.113.77:');
  });
});
