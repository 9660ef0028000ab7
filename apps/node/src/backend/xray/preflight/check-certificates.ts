import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { NodeError } from '../../../errors/node-error.js';
import type { InboundCertificate, Pem } from '../config/certificates.js';
import { expiryOf, keyPairProblem } from '../config/key-pair.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** Maximum size of a certificate or key file; certificate chains take a few thousand bytes. */
const MAX_FILE_BYTES = 1_048_576;

/**
 * Reads certificate files as the engine will. START_FAILED for files that the engine cannot use: it would start without
 * them. Returns warnings about expired certificates.
 */
export async function checkCertificates(
  certificates: readonly InboundCertificate[],
  directory: string,
  now: Date,
  rights?: EngineRights,
): Promise<string[]> {
  const warnings: string[] = [];
  for (const { place, certificate, key } of certificates) {
    const read = (pem: Pem) => ('text' in pem ? pem.text : readPem(place, pem.file, directory, rights));
    const text = await read(certificate);
    const problem = keyPairProblem(text, key === undefined ? undefined : await read(key));
    if (problem !== undefined) throw new NodeError('START_FAILED', `${place}: ${problem}`);
    const expiry = expiryOf(text);
    if (expiry <= now)
      warnings.push(`${place}: expired on ${expiry.toISOString().slice(0, 10)}; clients that check it do not connect`);
  }
  return warnings;
}

/** The directory in which the engine looks for a certificate without an absolute path. */
export function certificateDirectory(environment: Readonly<Record<string, string>>, enginePath: string): string {
  return environment['XRAY_LOCATION_CERT'] ?? dirname(enginePath);
}

async function readPem(place: string, name: string, directory: string, rights?: EngineRights): Promise<string> {
  const file = isAbsolute(name) ? name : join(directory, name);
  const refuse = (problem: string) => new NodeError('START_FAILED', `${place}: ${file} ${problem}`);
  const unreadable = (error: NodeJS.ErrnoException) => {
    throw refuse(error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`);
  };
  const found = await stat(file).catch(unreadable);
  // The engine would wait for a pipe, and read a device without end.
  if (!found.isFile()) throw refuse('is not a regular file');
  if (found.size > MAX_FILE_BYTES) throw refuse(`is larger than ${MAX_FILE_BYTES} bytes`);
  if (rights !== undefined && !(await rights.canAccess('read', file))) {
    throw refuse(
      `cannot be read by ${rights.name}: give it to that account, or send the certificate with the configuration`,
    );
  }
  return readFile(file, 'utf8').catch(unreadable);
}
