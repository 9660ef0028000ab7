import { messageOf } from '../process/operator-error.js';
import type { Certificate } from './certificate.js';

/**
 * Time between two readings of the files. Polling also detects renames, swapped links and network file systems, unlike
 * `fs.watch`.
 */
const POLL_MS = 5_000;

export interface CertificateWatchOptions<T extends Certificate> {
  /** The certificate in use. */
  readonly current: T;
  /** Reads the files. After an error, which is logged once, the old certificate stays in use. */
  readonly load: () => Promise<T>;
  /** Uses a changed certificate for new connections. */
  readonly apply: (certificate: T) => void;
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
  /** Time between two readings of the files, in ms. Default: 5,000. */
  readonly pollMs?: number;
}

/**
 * Watches the files of a certificate and applies it when they have changed. Certificate and key are written one after the
 * other: until they are a pair again, the old ones stay in use.
 *
 * @returns a function that ends the watch.
 */
export function watchCertificate<T extends Certificate>(options: CertificateWatchOptions<T>): () => void {
  const { current, load, apply, log, warn, pollMs = POLL_MS } = options;
  let inUse = contentOf(current);
  let lastProblem: string | undefined;
  let timer: NodeJS.Timeout;
  let ended = false;
  const check = async (): Promise<void> => {
    try {
      const found = await load();
      lastProblem = undefined;
      if (ended || contentOf(found) === inUse) return;
      apply(found);
      inUse = contentOf(found);
      log(`The certificate has changed: new connections get the one with SHA-256 ${found.fingerprint256}.`);
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== lastProblem)
        warn(`The certificate files cannot be used, so the old certificate stays in use: ${problem}.`);
      lastProblem = problem;
    }
  };
  const schedule = (): void => {
    timer = setTimeout(() => check().then(() => ended || schedule()), pollMs).unref();
  };
  schedule();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

const contentOf = ({ cert, key, clientCa }: Certificate): string => JSON.stringify([cert, key, clientCa]);
