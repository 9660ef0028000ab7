import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { InstallOptions } from '../install/install.js';
import { type ProgramName, programs } from '../programs.js';
import type { Reporter } from '../reporter.js';
import { cachedPath } from '../strategies/cache.js';

export const silentReporter: Reporter = { say() {}, percent() {}, seconds() {} };

/** An isolated machine: a PATH and a cache in a temporary folder, and the lines that the installer reported. */
export class Sandbox {
  readonly lines: string[] = [];
  readonly bin: string;
  readonly cache: string;
  private readonly env: Record<string, string>;

  private constructor(readonly folder: string) {
    this.bin = join(folder, 'bin');
    this.cache = join(folder, 'cache');
    this.env = { PATH: this.bin, HOME: folder, RAMPART_CACHE_DIR: this.cache };
  }

  static async create(): Promise<Sandbox> {
    const sandbox = new Sandbox(await mkdtemp(join(tmpdir(), 'rampart-engine-')));
    await mkdir(sandbox.bin);
    return sandbox;
  }

  /** Options for an install; no release site answers unless `more` names one. */
  options(more: InstallOptions = {}): InstallOptions {
    const nowhere = 'http://127.0.0.1:1';
    return {
      platform: 'linux-x64',
      site: { downloads: nowhere, api: nowhere },
      transfer: { answerMs: 2_000, stallMs: 2_000 },
      sums: {},
      reporter: { say: (line) => this.lines.push(line), percent() {}, seconds() {} },
      ...more,
      env: { ...this.env, ...more.env },
    };
  }

  cached(name: ProgramName): string {
    return cachedPath(programs[name], this.cache);
  }

  /** Writes an executable file. A relative path is relative to `bin`. */
  async place(path: string, script: string): Promise<string> {
    const full = path.startsWith('/') ? path : join(this.bin, path);
    await mkdir(dirname(full), { recursive: true });
    await writeFile(full, script);
    await chmod(full, 0o755);
    return full;
  }

  /** All files and folders in the cache, including temporary ones. */
  async cacheEntries(): Promise<string[]> {
    const entries = await readdir(join(this.cache, 'engine'), { recursive: true }).catch(() => []);
    return entries.sort();
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
