import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Whether the kernel allows a mount namespace with a file system in it. */
export const canMount =
  spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt && mount -o remount,bind,ro /mnt']).status === 0;

/** Whether a folder of a tmpfs can be made immutable. */
export const canMakeImmutable =
  canMount && spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs none /mnt && chattr +i /mnt']).status === 0;

/** Shell scripts that break a disk while a program uses it, with the folder as $0. */
export const BREAKS = {
  full: `
    dd if=/dev/zero of="$0/filler" bs=4096 2>/dev/null
    while touch "$0/filler.$((n += 1))" 2>/dev/null; do :; done
    ! mkdir "$0/more" 2>/dev/null`,
  'read-only': 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"',
  immutable: 'find "$0" -depth ! -type s -exec chattr +i {} +',
} as const;

/** A folder on a small file system that only one program sees. */
export class BreakableDisk {
  readonly directory = mkdtempSync(join(tmpdir(), 'rampart-disk-'));
  private readonly holder = execFile('unshare', [
    '-m',
    'sh',
    '-c',
    `${this.mount} && echo ready && exec sleep infinity`,
  ]);
  private readonly pid = this.holder.pid ?? 0;

  private get mount(): string {
    return `mount -t tmpfs -o size=1m,nr_inodes=128,mode=755 none ${this.directory}`;
  }

  /** The command that runs a program with this disk. */
  get wrapper(): readonly string[] {
    return ['nsenter', `--target=${this.pid}`, '--mount', '--wd=.', '--'];
  }

  /** Resolves when the file system is mounted. */
  async ready(): Promise<void> {
    await new Promise((resolve) => this.holder.stdout?.once('data', resolve));
  }

  async break(how: keyof typeof BREAKS): Promise<void> {
    const [command = '', ...args] = this.wrapper;
    await run(command, [...args, 'sh', '-c', BREAKS[how], this.directory]);
  }

  /** Must be called after the programs on it have ended. */
  close(): void {
    this.holder.kill('SIGKILL');
    rmdirSync(this.directory);
  }
}
