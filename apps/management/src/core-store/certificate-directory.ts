import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

const LARGEST = 256 * 1024;

/**
 * Reads certificate and key files that core configurations name, from one directory only. It throws for all else, in
 * words that nobody sees: from outside every failure is the same, or it would tell which files exist.
 */
export class CertificateDirectory {
  constructor(private readonly directory: string | undefined) {}

  /** Synchronous, because a configuration is parsed in one go; the files are few and small. */
  readonly readCertificate = (path: string): string => {
    if (this.directory === undefined) throw new Error('no certificate directory is set');
    const root = realpathSync(this.directory);
    const file = realpathSync(resolve(root, path));
    if (!file.startsWith(root + sep)) throw new Error('outside of the certificate directory');
    // Not blocking, so that a pipe without a writer cannot hold the process.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size > LARGEST) throw new Error('not a small regular file');
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  };
}
