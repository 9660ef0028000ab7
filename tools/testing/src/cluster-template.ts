import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastingTemporaryFolder } from './scratch.js';

const LOCK_FILE = join(dirname(fileURLToPath(import.meta.url)), '../../../pnpm-lock.yaml');
const TEMPLATES = join(lastingTemporaryFolder(), `rampart-test-clusters-${process.getuid?.()}`);
/** Every test file that needs a template touches it, so that one of this age belongs to no run. */
const UNUSED_MS = 3_600_000;

/**
 * A stopped PostgreSQL with all tables, which tests copy. It is made once a day, and anew where the code that makes it has changed, for
 * all processes; two that begin together make the same files.
 */
export class ClusterTemplate {
  readonly path: string;

  /** @param code the folder with the code of the tables; `isPart` says which of its files count */
  constructor(code: string, isPart: (file: string) => boolean) {
    const hash = createHash('sha256').update(readFileSync(LOCK_FILE)).update(process.arch);
    hash.update(new Date().toISOString().slice(0, 10));
    for (const file of readdirSync(code, { recursive: true, encoding: 'utf8' }).sort())
      if (isPart(file)) hash.update(file).update(readFileSync(join(code, file)));
    this.path = join(TEMPLATES, hash.digest('hex').slice(0, 16));
  }

  /** Whether it is there, for the next hour at least. */
  get isMade(): boolean {
    const now = new Date();
    try {
      utimesSync(this.path, now, now);
      return true;
    } catch {
      return false;
    }
  }

  /** A folder in which the template is made, and becomes it by `finish`. Those that nobody uses any more are removed. */
  begin(): string {
    mkdirSync(TEMPLATES, { recursive: true, mode: 0o711 });
    for (const name of readdirSync(TEMPLATES)) {
      const old = join(TEMPLATES, name);
      const used = statSync(old, { throwIfNoEntry: false });
      if (used && used.mtimeMs < Date.now() - UNUSED_MS) rmSync(old, { recursive: true, force: true });
    }
    return mkdtempSync(join(TEMPLATES, 'new-'));
  }

  finish(folder: string): void {
    try {
      renameSync(folder, this.path);
    } catch {
      rmSync(folder, { recursive: true }); // Another process was faster.
    }
  }
}
