import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { enginePath } from '@rampart/testing';
import type { Certificate, Json, Material } from './cells/cell.js';
import { freeRange, listenOn } from './ports.js';

/** Names that make the certificate larger than 3500 bytes, as REALITY needs for mldsa65. */
const MANY_NAMES = Array.from({ length: 120 }, (_, at) => `${'name-'.repeat(5)}${at}.example`);

const PORT_RANGE_SIZE = 600;

export interface PreparedMaterial {
  readonly material: Material;
  /** Path of a PEM file with the certificate authorities that clients trust. */
  readonly trusted: string;
  close(): Promise<void>;
}

export async function makeMaterial(): Promise<PreparedMaterial> {
  const certificate = await makeCertificate(['t.example']);
  const wildcard = await makeCertificate(['*.t.example']);
  const large = await makeCertificate(['r.example', ...MANY_NAMES]);
  const folder = await mkdtemp(join(tmpdir(), 'rampart-trusted-'));
  const trusted = join(folder, 'authorities.pem');
  await writeFile(trusted, pem([...certificate.certificate, ...wildcard.certificate]));
  const [target, largeTarget] = [await serveTls(certificate), await serveTls(large)];
  let port = await freeRange(PORT_RANGE_SIZE);
  let sockets = 0;
  const material: Material = {
    certificate,
    wildcard,
    untrusted: await makeCertificate(['t.example']),
    target: target.port,
    largeTarget: largeTarget.port,
    encryption: await encryptionPair(),
    mldsa65: await signaturePair(),
    ech: await echPair(),
    ports: (count) => {
      port += count;
      return port - count;
    },
    socket: () => {
      sockets += 1;
      return `@rampart-matrix-${process.pid}-${sockets}`;
    },
  };
  const close = async () => {
    await Promise.all([target.close(), largeTarget.close(), rm(folder, { recursive: true })]);
  };
  return { material, trusted, close };
}

/** An empty material, for uses that need only the names of cells. */
export const NO_MATERIAL: Material = {
  certificate: { certificate: [], key: [] },
  wildcard: { certificate: [], key: [] },
  untrusted: { certificate: [], key: [] },
  target: 0,
  largeTarget: 0,
  encryption: {},
  mldsa65: { mldsa65Seed: '', mldsa65Verify: '' },
  ech: { serverKeys: '', configList: '' },
  ports: () => 0,
  socket: () => '',
};

const engineOutput = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(enginePath(), args)).stdout;

async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  const domains = names.map((name) => `-domain=${name}`);
  const output = await engineOutput('tls', 'cert', '-json', '-ca', ...domains);
  // The engine labels a PKCS #8 key with the name of another format.
  return JSON.parse(output.replaceAll('RSA PRIVATE KEY', 'PRIVATE KEY'));
}

/** Starts a TLS server from which REALITY borrows its handshake. */
function serveTls({ certificate, key }: Certificate) {
  return listenOn(createTlsServer({ cert: pem(certificate), key: pem(key), minVersion: 'TLSv1.3' }));
}

const pem = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

async function encryptionPair(): Promise<Json> {
  const [decryption, encryption] = found(
    /"decryption": "([^"]+)"\s+"encryption": "([^"]+)"/,
    await engineOutput('vlessenc'),
  );
  return { decryption, encryption };
}

async function signaturePair() {
  const [mldsa65Seed, mldsa65Verify] = found(/Seed: (\S+)\s+Verify: (\S+)/, await engineOutput('mldsa65'));
  return { mldsa65Seed, mldsa65Verify };
}

async function echPair() {
  const output = await engineOutput('tls', 'ech', '--serverName', 'outer.example');
  const [configList, serverKeys] = found(/list:\s+(\S+)\s+ECH server keys:\s+(\S+)/, output);
  return { serverKeys, configList };
}

function found(pattern: RegExp, text: string): readonly [string, string] {
  const [, first, second] = pattern.exec(text) ?? [];
  if (first === undefined || second === undefined) throw new Error(`the engine printed something else: ${text}`);
  return [first, second];
}
