import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';

/** A request for a certificate as a node makes it, in DER, and its private key. */
export async function certificateRequest(
  algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
): Promise<{ request: Buffer<ArrayBuffer>; key: KeyObject }> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const { rawData } = await Pkcs10CertificateRequestGenerator.create({ keys, signingAlgorithm: algorithm });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  return { request: Buffer.from(rawData), key: createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }) };
}
