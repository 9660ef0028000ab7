import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const LOCK_FILE = join(dirname(fileURLToPath(import.meta.url)), '../../../pnpm-lock.yaml');
const TEMPLATES = join(tmpdir(), `rampart-test-clusters-${process.getuid?.()}`);
const DAY_MS = 86_400_000;

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

  get isMade(): boolean {
    return existsSync(this.path);
  }

  /** A folder in which the template is made, and becomes it by `finish`. */
  begin(): string {
    mkdirSync(TEMPLATES, { recursive: true, mode: 0o711 });
    for (const name of readdirSync(TEMPLATES)) {
      const old = join(TEMPLATES, name);
      const made = statSync(old, { throwIfNoEntry: false });
      if (made && made.mtimeMs < Date.now() - 2 * DAY_MS) rmSync(old, { recursive: true, force: true });
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
