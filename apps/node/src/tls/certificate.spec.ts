import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprintOf } from '@rampart/node-client';
import { type NodeEnv, readNodeEnv } from '../env/node-env.js';
import { loadCertificate } from './certificate.js';

describe(loadCertificate.name, () => {
  let folder: string;
  const env = (settings: Record<string, string> = {}): NodeEnv =>
    readNodeEnv({
      RAMPART_API_KEY: 'the-key-of-the-tests',
      RAMPART_NODE_DATA_DIR: join(folder, 'data'),
      RAMPART_NODE_NAMES: 'node.example,127.0.0.1,::1',
      ...settings,
    });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-tls-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('a self-signed certificate is created for the given names', async () => {
    const { cert, fingerprint256, fresh } = await loadCertificate(env());
    const certificate = new X509Certificate(cert);
    expect(fresh).toBe(true);
    expect(fingerprint256).toBe(certificate.fingerprint256);
    expect(certificate.subjectAltName).toBe('DNS:node.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(new Date(certificate.validFrom).getTime()).toBeLessThan(Date.now());
    expect(new Date(certificate.validTo).getTime()).toBeGreaterThan(Date.now() + 9 * 365 * 86_400_000);
  });

  it('the self-signed certificate is kept, readable by its owner only', async () => {
    const first = await loadCertificate(env());
    expect(await loadCertificate(env())).toEqual({ ...first, fresh: false });
    expect(await readdir(join(folder, 'data'))).toEqual(['tls']);
    for (const file of ['certificate.pem', 'key.pem']) {
      expect((await stat(join(folder, 'data/tls', file))).mode & 0o777).toBe(0o600);
    }
  });

  it('the certificate of the operator is used', async () => {
    const { cert } = await loadCertificate(env());
    const tls = join(folder, 'data/tls');
    const settings = {
      RAMPART_NODE_TLS_CERT: join(tls, 'certificate.pem'),
      RAMPART_NODE_TLS_KEY: join(tls, 'key.pem'),
    };
    expect(await loadCertificate(env(settings))).toEqual({
      cert,
      key: await readFile(join(tls, 'key.pem'), 'utf8'),
      fingerprint256: fingerprintOf(cert),
      fresh: false,
    });
  });

  it('the error for an unreadable certificate file names its setting', async () => {
    const file = join(folder, 'missing.pem');
    await expect(
      loadCertificate(env({ RAMPART_NODE_TLS_CERT: file, RAMPART_NODE_TLS_KEY: file })),
    ).rejects.toMatchObject({
      name: 'CertificateError',
      message: `RAMPART_NODE_TLS_CERT: ENOENT: no such file or directory, open '${file}'`,
    });
  });

  it('a certificate and a key that do not match are refused', async () => {
    await loadCertificate(env());
    await loadCertificate(env({ RAMPART_NODE_DATA_DIR: join(folder, 'other') }));
    const settings = {
      RAMPART_NODE_TLS_CERT: join(folder, 'data/tls/certificate.pem'),
      RAMPART_NODE_TLS_KEY: join(folder, 'other/tls/key.pem'),
    };
    await expect(loadCertificate(env(settings))).rejects.toMatchObject({
      name: 'CertificateError',
      message: "RAMPART_NODE_TLS_CERT and RAMPART_NODE_TLS_KEY: this private key is not the certificate's",
    });
  });

  it('the error for an invalid key shows none of its content', async () => {
    await loadCertificate(env());
    const key = join(folder, 'key.pem');
    await writeFile(key, '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n');
    const settings = { RAMPART_NODE_TLS_CERT: join(folder, 'data/tls/certificate.pem'), RAMPART_NODE_TLS_KEY: key };
    await expect(loadCertificate(env(settings))).rejects.toMatchObject({
      name: 'CertificateError',
      message: 'RAMPART_NODE_TLS_CERT and RAMPART_NODE_TLS_KEY: must be a certificate and its private key in PEM form',
    });
  });

  it('the client CA is read, and must be a certificate', async () => {
    expect((await loadCertificate(env())).clientCa).toBeUndefined();
    const { cert } = await loadCertificate(env());
    const file = join(folder, 'ca.pem');
    await writeFile(file, cert);
    expect((await loadCertificate(env({ RAMPART_NODE_TLS_CLIENT_CA: file }))).clientCa).toBe(cert);
    await writeFile(file, 'no certificate');
    await expect(loadCertificate(env({ RAMPART_NODE_TLS_CLIENT_CA: file }))).rejects.toThrow(
      `RAMPART_NODE_TLS_CLIENT_CA: ${file} must hold a certificate in PEM form`,
    );
  });

  it('a data directory that is not writable is named when the certificate is created', async () => {
    await writeFile(join(folder, 'data'), 'a file');
    await expect(loadCertificate(env())).rejects.toMatchObject({
      name: 'CertificateError',
      message: expect.stringMatching(/^cannot write to RAMPART_NODE_DATA_DIR: E(EXIST|NOTDIR): /),
    });
  });
});
