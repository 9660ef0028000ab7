import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CertificateDirectory } from './certificate-directory.js';

let folder: string;
let certs: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rampart-certs-'));
  certs = join(folder, 'certs');
  await mkdir(join(certs, 'site'), { recursive: true });
  await writeFile(join(certs, 'site', 'cert.pem'), 'a certificate');
  await writeFile(join(folder, 'secret.pem'), 'a secret');
  await mkdir(join(folder, 'certs-of-others'));
  await writeFile(join(folder, 'certs-of-others', 'cert.pem'), 'not ours');
  await writeFile(join(certs, 'large.pem'), Buffer.alloc(256 * 1024 + 1));
  await symlink(join(folder, 'secret.pem'), join(certs, 'link.pem'));
  await symlink(join(certs, 'site', 'cert.pem'), join(certs, 'inner.pem'));
  await symlink('/dev/zero', join(certs, 'zero.pem'));
  execFileSync('mkfifo', [join(certs, 'pipe.pem')]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe(CertificateDirectory.name, () => {
  it('reads regular files, by relative and absolute path and through links inside', () => {
    const { readCertificate } = new CertificateDirectory(certs);
    for (const path of ['site/cert.pem', join(certs, 'site', 'cert.pem'), 'inner.pem']) {
      expect(readCertificate(path)).toBe('a certificate');
    }
  });

  it.each([
    '../secret.pem',
    'site/../../secret.pem',
    'link.pem',
    '../certs-of-others/cert.pem',
    '/etc/passwd',
    'zero.pem',
    'pipe.pem',
    'large.pem',
    'site',
    '.',
    '',
    'missing.pem',
  ])('security row 15: refuses %j', (path) => {
    expect(() => new CertificateDirectory(certs).readCertificate(path)).toThrow();
  });

  it('reads nothing when no directory is set', () => {
    expect(() => new CertificateDirectory(undefined).readCertificate(join(certs, 'site', 'cert.pem'))).toThrow();
  });
});
