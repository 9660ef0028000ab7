import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@rampart/testing';
import { readManagementEnv } from '../env/management-env.js';
import { checkOwnCertificate, checkOwnPort, checkPublicUrl } from './check-web.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rampart-web-'));
  for (const [name, days] of [
    ['long', '400'],
    ['short', '3'],
  ] as const) {
    const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=panel.example';
    const names = ['-addext', 'subjectAltName=DNS:panel.example', '-days', days];
    const files = ['-out', join(folder, `${name}.pem`), '-keyout', join(folder, `${name}.key`)];
    execFileSync('openssl', [...request.split(' '), ...names, ...files], { stdio: 'ignore' });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const withCertificate = (cert: string, key = cert, url = 'https://panel.example') =>
  readManagementEnv({
    RAMPART_TLS_CERT: join(folder, `${cert}.pem`),
    RAMPART_TLS_KEY: join(folder, `${key}.key`),
    RAMPART_PUBLIC_URL: url,
  });

describe(checkOwnCertificate.name, () => {
  it('has no row where management speaks plain HTTP', async () => {
    expect(await checkOwnCertificate(readManagementEnv({}))).toEqual([]);
  });

  it('tells the end of the certificate, and warns before it', async () => {
    expect(await checkOwnCertificate(withCertificate('long'))).toEqual([
      {
        name: 'certificate',
        state: 'ok',
        seen: expect.stringMatching(/^ends on \d{4}-\d\d-\d\d, in (399|400) days$/),
        advice: null,
      },
    ]);
    expect(await checkOwnCertificate(withCertificate('short'))).toMatchObject([
      { state: 'warning', seen: expect.stringMatching(/, in [23] days$/) },
    ]);
  });

  it('finds the key of another certificate, and a missing file', async () => {
    expect(await checkOwnCertificate(withCertificate('long', 'short'))).toEqual([
      {
        name: 'certificate',
        state: 'wrong',
        seen: "RAMPART_TLS_CERT and RAMPART_TLS_KEY: this private key is not the certificate's",
        advice: 'Correct RAMPART_TLS_CERT and RAMPART_TLS_KEY.',
      },
    ]);
    writeFileSync(join(folder, 'none.key'), '');
    expect(await checkOwnCertificate(withCertificate('none'))).toMatchObject([
      { state: 'wrong', seen: expect.stringContaining('RAMPART_TLS_CERT: ENOENT') },
    ]);
  });

  it('finds a certificate without the name of the public URL', async () => {
    expect((await checkOwnCertificate(withCertificate('long', 'long', 'https://other.example')))[1]).toEqual({
      name: 'certificate',
      state: 'warning',
      seen: 'does not name other.example, which subscription URLs have',
      advice: 'Use a certificate for this name, unless a proxy in front has one.',
    });
  });
});

describe('checkOwnPort and checkPublicUrl', () => {
  it('tell a service from another program and from a closed port', async () => {
    let status = 200;
    const server = createServer((_, answer) => void answer.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const env = readManagementEnv({ RAMPART_PORT: `${port}` });
    expect(await checkOwnPort(env)).toMatchObject({ state: 'ok', seen: `http://127.0.0.1:${port} answers` });
    status = 404;
    expect(await checkOwnPort(env)).toMatchObject({
      state: 'wrong',
      seen: `http://127.0.0.1:${port}/health answers 404`,
      advice: 'Another program has the port: end it, or set RAMPART_PORT to a free one.',
    });
    await new Promise((resolve) => server.close(resolve));
    expect(await checkOwnPort(env)).toMatchObject({
      state: 'wrong',
      seen: `http://127.0.0.1:${port} does not answer (ECONNREFUSED)`,
    });
  });

  it('warn of a public URL that only this machine reaches, or that does not answer', async () => {
    expect(await checkPublicUrl(readManagementEnv({}))).toMatchObject({
      state: 'warning',
      seen: 'http://127.0.0.1:8000 can be reached from this machine alone',
    });
    const url = `http://127.0.0.2.invalid:${await freePort()}`;
    expect(await checkPublicUrl(readManagementEnv({ RAMPART_PUBLIC_URL: url }))).toMatchObject({
      state: 'warning',
      seen: expect.stringMatching(new RegExp(`^${url} does not answer this machine \\(E[A-Z_]+\\)$`)),
    });
  });
});
