import { messageOf } from '../process/operator-error.js';
import type { Certificate } from './certificate.js';

/** Files are read again this often: it sees renames, swapped links and network file systems, which fs.watch may not. */
const POLL_MS = 5_000;

export interface CertificateWatchOptions<T extends Certificate> {
  /** What is in use. */
  readonly current: T;
  /** Reads the files; an error is told, and the old certificate stays. */
  readonly load: () => Promise<T>;
  /** Takes a certificate into use. */
  readonly apply: (certificate: T) => void;
  readonly log: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly pollMs?: number;
}

/**
 * Takes a certificate into use as soon as its files have changed, for new connections. A certificate and its key change
 * one after the other: until they are a pair again, the old ones stay.
 *
 * @returns ends the watch.
 */
export function watchCertificate<T extends Certificate>(options: CertificateWatchOptions<T>): () => void {
  const { current, load, apply, log, warn, pollMs = POLL_MS } = options;
  let inUse = contentOf(current);
  let complaint: string | undefined;
  let timer: NodeJS.Timeout;
  let ended = false;
  const look = async (): Promise<void> => {
    try {
      const found = await load();
      complaint = undefined;
      if (ended || contentOf(found) === inUse) return;
      apply(found);
      inUse = contentOf(found);
      log(`The certificate has changed: new connections get the one with SHA-256 ${found.fingerprint256}.`);
    } catch (error) {
      const said = messageOf(error);
      if (said !== complaint)
        warn(`The certificate files cannot be used, so the old certificate stays in use: ${said}.`);
      complaint = said;
    }
  };
  const wait = (): void => {
    timer = setTimeout(() => look().then(() => ended || wait()), pollMs).unref();
  };
  wait();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

const contentOf = ({ cert, key, clientCa }: Certificate): string => JSON.stringify([cert, key, clientCa]);
