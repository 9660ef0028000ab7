import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSelfSigned } from '../../../../tls/self-signed.js';

export interface TestPair {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate for localhost and its key. */
export async function testPair(): Promise<TestPair> {
  const scratch = mkdtempSync(join(tmpdir(), 'rampart-pair-'));
  const folder = join(scratch, 'tls');
  await createSelfSigned(folder, ['localhost']);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const pair = { certificate: read('certificate.pem'), key: read('key.pem') };
  rmSync(scratch, { recursive: true });
  return pair;
}
