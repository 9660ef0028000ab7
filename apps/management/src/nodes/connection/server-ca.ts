import { X509Certificate } from 'node:crypto';
import { fingerprintOf, type NodeTrust } from '@rampart/node-client';

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;
const CERTIFICATE = 'CERTIFICATE';

/** What is wrong with a text that should hold certificates in PEM; undefined when nothing is. */
export function serverCaProblem(text: string): string | undefined {
  const blocks = [...text.matchAll(BLOCK)];
  if (blocks.some(([, type = '']) => type.includes('PRIVATE KEY'))) {
    return 'Invalid certificate format - a private key does not belong here, only certificates';
  }
  if (blocks.length === 0 || blocks.some(([, type]) => type !== CERTIFICATE)) {
    return 'Invalid certificate format - must contain PEM certificate blocks';
  }
  const broken = blocks.findIndex(([block]) => !isCertificate(block));
  return broken < 0
    ? undefined
    : `Invalid certificate format - certificate ${broken + 1} of ${blocks.length} is damaged`;
}

/** The certificate blocks of a text, without what programs print around them. */
export function certificateBlocks(text: string): string {
  return [...text.matchAll(BLOCK)].map(([block]) => `${block}\n`).join('');
}

/** A single leaf certificate is trusted by its fingerprint, whatever names it has; anything else as authorities. */
export function trustOf(serverCa: string): NodeTrust {
  const [only, ...more] = [...serverCa.matchAll(BLOCK)].map(([block]) => block);
  const isLeaf = only !== undefined && more.length === 0 && !new X509Certificate(only).ca;
  return isLeaf ? { fingerprint256: fingerprintOf(only) } : { ca: serverCa };
}

function isCertificate(block: string): boolean {
  try {
    new X509Certificate(block);
    return true;
  } catch {
    return false;
  }
}
