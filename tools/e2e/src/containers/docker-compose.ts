import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '@rampart/testing';
import { CONTAINER_CACHE, type Podman } from './podman.js';

const run = promisify(execFile);
const MODULE = join(import.meta.dirname, '../../docker-compose');
const VERSION = 'v2.40.3';
const BUILT = join(CONTAINER_CACHE, `docker-compose-${VERSION}`);
const HEALTH_EVERY_MS = 1_000;
const HEALTH_TIMEOUT_MS = 10_000;

const answers = (command: string, ...args: string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Why Docker Compose cannot run here; undefined when it can. */
export function whyNoCompose(): string | undefined {
  if (answers('docker', 'compose', 'version') || answers('docker-compose', 'version') || answers('go', 'version'))
    return undefined;
  return 'needs Docker Compose, or Go to build it';
}

/** The command of Docker Compose: the installed one, else one that is built with Go and kept between runs. */
async function composeCommand(): Promise<readonly string[]> {
  if (answers('docker', 'compose', 'version')) return ['docker', 'compose'];
  if (answers('docker-compose', 'version')) return ['docker-compose'];
  const built = await access(BUILT).then(
    () => true,
    () => false,
  );
  if (!built) {
    const draft = `${BUILT}.${process.pid}`;
    const flags = ['-s', '-w', '-X', `github.com/docker/compose/v2/internal.Version=${VERSION}`].join(' ');
    await run(
      'go',
      ['build', '-mod=readonly', '-trimpath', '-ldflags', flags, '-o', draft, 'github.com/docker/compose/v2/cmd'],
      {
        cwd: MODULE,
      },
    );
    await rename(draft, BUILT);
  }
  return [BUILT];
}

/** Docker Compose on Podman, by the same socket that operators of Podman use. */
export class DockerCompose {
  private constructor(
    /** The environment in which the command `docker compose` works. */
    readonly env: Readonly<Record<string, string>>,
    private readonly stopService: () => Promise<void>,
    private readonly checks: Promise<void>,
    private readonly ended: AbortController,
  ) {}

  /** @param folder for the socket and the command */
  static async start(podman: Podman, folder: string): Promise<DockerCompose> {
    const bin = join(folder, 'bin');
    await mkdir(bin, { recursive: true });
    const command = await composeCommand();
    const docker = join(bin, 'docker');
    const real = (await run('sh', ['-c', 'command -v docker || true'])).stdout.trim();
    const words = command[0] === 'docker' ? [real, 'compose'] : command;
    await writeFile(docker, `#!/bin/sh\n[ "$1" = compose ] || exit 2\nshift\nexec ${words.join(' ')} "$@"\n`);
    await chmod(docker, 0o755);
    const socket = join(folder, 'podman.sock');
    const service = spawn('podman', ['system', 'service', '--time', '0', `unix://${socket}`], {
      env: podman.env,
      stdio: 'ignore',
    });
    await eventually('podman serves its socket', () =>
      access(socket).then(
        () => true,
        () => false,
      ),
    );
    const ended = new AbortController();
    const stop = async () => {
      const exited = once(service, 'exit');
      service.kill('SIGTERM');
      await exited;
    };
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, DOCKER_HOST: `unix://${socket}` };
    return new DockerCompose(env, stop, checkHealth(podman, ended.signal), ended);
  }

  async stop(): Promise<void> {
    this.ended.abort();
    await this.checks;
    await this.stopService();
  }
}

/** Runs the health checks of all containers: podman leaves them to systemd's timers, which need not be there. */
async function checkHealth(podman: Podman, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { output } = await podman.try('ps', '--quiet');
    const ids = output.split('\n').filter(Boolean);
    // The check of a container that ends meanwhile never returns in Podman 4.3.
    await Promise.all(ids.map((id) => podman.tryFor(HEALTH_TIMEOUT_MS, 'healthcheck', 'run', id)));
    await wait(HEALTH_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}
