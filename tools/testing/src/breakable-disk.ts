import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const canOnNewMount = (script: string): boolean =>
  spawnSync('unshare', ['-m', 'sh', '-c', `mount -t tmpfs none /mnt && ${script}`]).status === 0;

/** Whether the kernel allows a mount namespace with a file system in it. */
export const canMount = (): boolean => canOnNewMount('mount -o remount,bind,ro /mnt');

/** Whether a folder of a tmpfs can be made immutable. */
export const canMakeImmutable = (): boolean => canOnNewMount('chattr +i /mnt');

/** Shell scripts that break a disk while a program uses it, with the folder as $0. */
export const BREAKS = {
  full: `
    dd if=/dev/zero of="$0/filler" bs=4096 2>/dev/null
    while touch "$0/filler.$((n += 1))" 2>/dev/null; do :; done
    ! mkdir "$0/more" 2>/dev/null`,
  'read-only': 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"',
  immutable: 'find "$0" -depth ! -type s -exec chattr +i {} +',
} as const;

/** A folder on a small file system that only programs see which run by its wrapper. */
export class BreakableDisk {
  readonly directory = mkdtempSync(join(tmpdir(), 'rampart-disk-'));
  private readonly holder = spawn('unshare', ['-m', 'sh', '-c', `${this.mount} && echo ready && exec sleep infinity`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

  private get mount(): string {
    return `mount -t tmpfs -o size=1m,nr_inodes=128,mode=755 none ${this.directory}`;
  }

  /** The command that runs a program with this disk. */
  get wrapper(): readonly string[] {
    return ['nsenter', `--target=${this.holder.pid}`, '--mount', '--wd=.', '--'];
  }

  /** Where programs that do not run by the wrapper find what is in `directory`. */
  get outside(): string {
    return `/proc/${this.holder.pid}/root${this.directory}`;
  }

  /** Resolves when the file system is mounted. */
  async ready(): Promise<void> {
    await Promise.race([
      once(this.holder.stdout, 'data'),
      once(this.holder, 'exit').then(([code]) => Promise.reject(new Error(`no disk was mounted: unshare: ${code}`))),
    ]);
  }

  async break(how: keyof typeof BREAKS): Promise<void> {
    const [command = '', ...args] = this.wrapper;
    await run(command, [...args, 'sh', '-c', BREAKS[how], this.directory]);
  }

  /** Leaves so many of its bytes free. */
  leave(bytes: number): void {
    const { bavail, bsize } = statfsSync(this.outside);
    writeFileSync(join(this.outside, 'filler'), Buffer.alloc(bavail * bsize - bytes), { flag: 'a' });
  }

  /** Frees what `leave` and `break('full')` have filled. */
  free(): void {
    for (const name of readdirSync(this.outside)) if (name.startsWith('filler')) rmSync(join(this.outside, name));
  }

  /** Must be called after the programs on it have ended. */
  close(): void {
    this.holder.kill('SIGKILL');
    rmdirSync(this.directory);
  }
}
