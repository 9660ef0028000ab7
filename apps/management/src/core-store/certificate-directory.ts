import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';

const MAX_FILE_BYTES = 256 * 1024;

/**
 * Reads certificate and key files that core configurations name, from one directory only. It throws for any other file.
 * Callers show no message of these errors, because they would reveal which files exist.
 */
export class CertificateDirectory {
  constructor(private readonly directory: string | undefined) {}

  /** Synchronous, because configurations are parsed synchronously; the files are few and small. */
  readonly readCertificate = (path: string): string => {
    if (this.directory === undefined) throw new Error('no certificate directory is set');
    const root = realpathSync(this.directory);
    const file = realpathSync(resolve(root, path));
    if (!file.startsWith(root + sep)) throw new Error('outside of the certificate directory');
    // O_NONBLOCK is set, so that a pipe without a writer cannot block the process.
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile() || stats.size > MAX_FILE_BYTES) throw new Error('not a small regular file');
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  };
}
