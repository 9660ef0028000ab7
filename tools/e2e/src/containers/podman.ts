import { type ChildProcess, type ExecFileException, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@rampart/testing';

const run = promisify(execFile);
/** The exit code of a command that took too long, as that of timeout(1). */
const TIMED_OUT = 124;

/** What the tests of containers keep between runs: images with their layers, and the base image. Deleting it costs time only. */
export const CONTAINER_CACHE = join(cacheFolder(process.env), 'containers');

/** The programs that the tests need, from Debian's packages of the same names. */
const PROGRAMS = ['podman', 'runc', 'mmdebstrap', 'iptables'];

/** Why a test of containers is skipped; undefined when it runs. */
export function whyNoContainers(): string | undefined {
  if (process.env['RAMPART_TEST_LONG'] !== 'true') return 'npm run test:long runs it';
  if (process.getuid?.() !== 0) return 'needs root';
  const missing = PROGRAMS.filter((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined);
  return missing.length === 0 ? undefined : `needs Debian packages ${missing.join(', ')}`;
}

/** Podman with a storage of its own, so that images of whoever runs the tests are neither used nor removed. */
export class Podman {
  private constructor(
    /** The environment in which podman, and what calls it, finds its configuration. */
    readonly env: NodeJS.ProcessEnv,
    private readonly lock: ChildProcess,
  ) {}

  /**
   * Writes the configuration. Test files share it and the storage, so each waits here until the one before it has called
   * `close` or its process has ended.
   */
  static async configure(): Promise<Podman> {
    await mkdir(CONTAINER_CACHE, { recursive: true });
    const lock = await exclusiveLock(join(CONTAINER_CACHE, 'lock'));
    const storage = join(CONTAINER_CACHE, 'storage.conf');
    const config = join(CONTAINER_CACHE, 'containers.conf');
    const graph = join(CONTAINER_CACHE, 'storage');
    // The state of running containers; podman refuses a path of more than 50 characters.
    const runRoot = await mkdtemp(join(tmpdir(), 'podman-'));
    await writeFile(storage, `[storage]\ndriver = "overlay"\ngraphroot = "${graph}"\nrunroot = "${runRoot}"\n`);
    // Without CAP_SYS_RESOURCE, podman's own limits are refused. Debian's crun refuses hybrid cgroups.
    const lines = ['[containers]', 'default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]'];
    lines.push('[engine]', 'runtime = "runc"', 'cgroup_manager = "cgroupfs"', 'events_logger = "none"');
    await writeFile(config, `${lines.join('\n')}\n`);
    const isolation = { BUILDAH_ISOLATION: 'chroot', BUILDAH_FORMAT: 'docker' };
    return new Podman(
      { ...process.env, CONTAINERS_CONF: config, CONTAINERS_STORAGE_CONF: storage, ...isolation },
      lock,
    );
  }

  /** Lets the next test file use podman. */
  async close(): Promise<void> {
    const ended = once(this.lock, 'exit');
    this.lock.stdin?.end();
    await ended;
  }

  /** Runs a command of podman and returns its standard output. The error of a failed one has what it said. */
  async call(...args: string[]): Promise<string> {
    const { code, output, text } = await this.try(...args);
    if (code !== 0) throw new Error(`podman ${args.join(' ')} failed:\n${text}`);
    return output;
  }

  /** Runs a command of podman; returns its exit code, its standard output, and the end of both streams. */
  async try(...args: string[]): Promise<{ code: number; output: string; text: string }> {
    return this.tryFor(0, ...args);
  }

  /** The same with a time limit in milliseconds, after which the command is killed and its exit code is 124; 0: none. */
  async tryFor(timeout: number, ...args: string[]): Promise<{ code: number; output: string; text: string }> {
    try {
      const { stdout } = await run('podman', args, { env: this.env, maxBuffer: 64 * 2 ** 20, timeout });
      return { code: 0, output: stdout.trim(), text: stdout };
    } catch (error) {
      const { killed, stdout = '', stderr = '', ...failure } = error as Partial<ExecFileException>;
      const code = killed ? TIMED_OUT : failure.code;
      if (typeof code !== 'number') throw error;
      return { code, output: stdout.trim(), text: `${stdout.slice(-8000)}${stderr.slice(-8000)}` };
    }
  }

  async succeeds(...args: string[]): Promise<boolean> {
    return (await this.try(...args)).code === 0;
  }
}

/** Takes a lock on a file. The returned process holds it until its standard input ends, so also when this process is killed. */
async function exclusiveLock(path: string): Promise<ChildProcess> {
  const lock = spawn('flock', ['--exclusive', path, 'sh', '-c', 'echo taken; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await Promise.race([
    once(lock.stdout, 'data'),
    once(lock, 'exit').then(([code]) => Promise.reject(new Error(`flock ended with ${code}`))),
  ]);
  lock.stdout.resume();
  return lock;
}
