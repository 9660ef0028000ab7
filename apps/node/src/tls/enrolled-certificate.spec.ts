import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Enrolment, MANAGEMENT_IDENTITY } from '@rampart/node-client';
import type { Certificate } from '@rampart/program';
import { EnrolmentAuthority } from '../testing/enrolment-authority.js';
import { EnrolledCertificate } from './enrolled-certificate.js';

describe(EnrolledCertificate.name, () => {
  let authority: EnrolmentAuthority;
  let folder: string;
  let enrolment: Enrolment;
  beforeAll(async () => {
    authority = await EnrolmentAuthority.create();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rampart-enrolled-'));
    enrolment = await authority.enrol();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = (value = enrolment): Promise<EnrolledCertificate> => EnrolledCertificate.open(value, folder);
  const file = () => join(folder, 'enrolment/renewed.pem');
  /** Installs a new certificate, and returns it in PEM. */
  async function renew(node: EnrolledCertificate, days?: { begin?: number; end?: number }): Promise<string> {
    const der = await authority.renew(node.identity, await node.createRequest(), days);
    await node.install(der);
    return new X509Certificate(der).toString();
  }

  it('the certificate of the enrolment is shown, and management alone is admitted', async () => {
    const { certificate: cert, key } = enrolment;
    const node = await open();
    const { fingerprint256, validTo } = new X509Certificate(cert);
    expect(node.current).toEqual({
      cert,
      key,
      clientCa: enrolment.authority,
      clientIdentity: MANAGEMENT_IDENTITY,
      fingerprint256,
    });
    expect(node.expiresAt).toBe(Date.parse(validTo) / 1000);
    await expect(stat(file())).rejects.toThrow('ENOENT');
  });

  it('a renewed certificate is shown at once, has a new key, and is preferred after a restart', async () => {
    const node = await open();
    const shown: Certificate[] = [];
    node.onRenewal((certificate) => shown.push(certificate));
    const renewed = await renew(node);
    expect(shown.map(({ cert }) => cert)).toEqual([renewed]);
    expect(shown[0]?.key).not.toBe(enrolment.key);
    expect((await open()).current).toEqual(shown[0]);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'enrolment'))).mode & 0o777).toBe(0o700);

    const again = await renew(await open(), { end: 500 });
    expect((await open()).current.cert).toBe(again);
  });

  it('the certificate of another enrolment takes the place of a renewed one', async () => {
    await renew(await open());
    const next = await authority.enrol();
    expect((await open(next)).current.cert).toBe(next.certificate);
    const elsewhere = await (await EnrolmentAuthority.create()).enrol();
    expect((await open(elsewhere)).current.cert).toBe(elsewhere.certificate);
  });

  it('a renewed certificate that ends before that of the enrolment is not used', async () => {
    const node = await open();
    await renew(node, { end: 2 });
    expect((await open()).current.cert).toBe(enrolment.certificate);
  });

  it.each(['', 'no certificate', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'])(
    'a damaged file with %j leaves the certificate of the enrolment',
    async (text) => {
      await mkdir(join(folder, 'enrolment'));
      await writeFile(file(), text);
      expect((await open()).current.cert).toBe(enrolment.certificate);
    },
  );

  it('a renewed certificate without its key is not used', async () => {
    const renewed = await renew(await open());
    await writeFile(file(), renewed + enrolment.key);
    expect((await open()).current.cert).toBe(enrolment.certificate);
  });

  it('an enrolment whose certificate has ended is refused, unless there is a renewed one', async () => {
    const old = await authority.enrol({ begin: -400, end: -1 });
    const end = new Date(new X509Certificate(old.certificate).validTo).toISOString();
    await expect(open(old)).rejects.toThrow(
      `RAMPART_ENROLMENT: its certificate ended on ${end}, and there is no renewed one: have management issue another ` +
        'enrolment for this node (rampart node enrol), and set it here',
    );
    const before = await EnrolledCertificate.open(old, folder, Date.now() - 100 * 86_400_000);
    const renewed = await renew(before);
    expect((await open(old)).current.cert).toBe(renewed);
  });

  it('an enrolment that begins later than the clock shows is refused', async () => {
    const { validFrom } = new X509Certificate(enrolment.certificate);
    const begin = new Date(validFrom);
    const now = new Date(begin.getTime() - 1000);
    await expect(EnrolledCertificate.open(enrolment, folder, now.getTime())).rejects.toThrow(
      `RAMPART_ENROLMENT: its certificate begins on ${begin.toISOString()}, but the clock of this machine shows ` +
        `${now.toISOString()}: set the clock`,
    );
  });

  describe('installing', () => {
    const refuses = async (node: EnrolledCertificate, der: Uint8Array, message: string): Promise<void> => {
      await expect(node.install(der)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', message });
      expect(node.current.cert).toBe(enrolment.certificate);
      await expect(readFile(file())).rejects.toThrow('ENOENT');
    };

    it('a certificate without a request, or for an earlier one, is refused', async () => {
      const node = await open();
      const earlier = await authority.renew(node.identity, await node.createRequest());
      await refuses(await open(), earlier, 'no certificate was requested since this node started');
      await node.createRequest();
      await refuses(node, earlier, 'the certificate is not for the key of the last request');
    });

    it('a certificate of another authority or of another node is refused', async () => {
      const node = await open();
      const request = await node.createRequest();
      const stranger = await (await EnrolmentAuthority.create()).renew(node.identity, request);
      await refuses(node, stranger, 'the certificate is not of this enrolment');
      const other = await authority.renew('urn:rampart:node:other', request);
      await refuses(node, other, 'the certificate is not of this enrolment');
    });

    it('a certificate that is not valid now, or is none, is refused', async () => {
      const node = await open();
      const request = await node.createRequest();
      const message = "the certificate is not valid now, by the clock of the node's machine";
      await refuses(node, await authority.renew(node.identity, request, { begin: 1 }), message);
      await refuses(node, await authority.renew(node.identity, request, { end: 0 }), message);
      await refuses(node, Buffer.from('none'), 'certificate must be a certificate in DER');
    });

    it('a certificate that the disk does not take is refused, and the present one stays', async () => {
      const node = await open();
      const der = await authority.renew(node.identity, await node.createRequest());
      await writeFile(join(folder, 'enrolment'), 'a file where the folder should be');
      await expect(node.install(der)).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: expect.stringMatching(/^the node cannot store its certificate: EEXIST/),
      });
      expect(node.current.cert).toBe(enrolment.certificate);
      await rm(join(folder, 'enrolment'));
      await node.install(der);
      expect(node.current.cert).toBe(new X509Certificate(der).toString());
    });
  });
});
