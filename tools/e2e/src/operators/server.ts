import { mkdir } from 'node:fs/promises';
import { eventually, ShellSession } from '@rampart/testing';
import { ensureServerImage } from '../containers/base-image.js';
import { DEPLOY } from '../containers/host.js';
import type { Podman } from '../containers/podman.js';

/** A machine of an operator, in a container in which systemd is process 1. */
export class Server {
  private constructor(
    private readonly podman: Podman,
    readonly name: string,
    /** A terminal of root on it, in a folder with `deploy/` of a clone. */
    readonly shell: ShellSession,
  ) {}

  /** @param programs the folder that is /opt/rampart there */
  static async start(podman: Podman, name: string, programs: string): Promise<Server> {
    const image = await ensureServerImage(podman);
    await mkdir(programs, { recursive: true });
    const volumes = ['--volume', `${programs}:/opt/rampart`, '--volume', `${DEPLOY}:/root/clone/deploy:ro`];
    await podman.call(
      'run',
      '--detach',
      '--name',
      name,
      '--systemd=always',
      '--privileged',
      ...volumes,
      image,
      '/sbin/init',
    );
    await eventually(
      'systemd runs',
      async (saw) =>
        /^(running|degraded)/.test(saw(await podman.try('exec', name, 'systemctl', 'is-system-running')).output),
      60_000,
    );
    const words = ['exec', '--interactive', '--workdir', '/root/clone', name, 'bash', '-u'];
    return new Server(podman, name, new ShellSession(podman.env, ['podman', ...words]));
  }

  async stop(): Promise<void> {
    this.shell.close();
    await this.podman.try('rm', '--force', '--time', '0', '--volumes', this.name);
  }
}
