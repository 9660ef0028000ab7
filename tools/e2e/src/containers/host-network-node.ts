import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createNodeClient, type NodeClient } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import type { Podman } from './podman.js';

const run = promisify(execFile);

export const API_KEY = 'the-key-of-the-containers';

/** A node in a container on the network of this machine, as docs/operators.md has it. */
export class HostNetworkNode {
  constructor(
    private readonly podman: Podman,
    readonly container: string,
    private readonly port: number,
  ) {}

  /** Waits until the log has a text, and returns the match. */
  says(text: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    return eventually(`${this.container} says ${text}`, async () => text.exec(await this.log()) ?? undefined, withinMs);
  }

  /** Standard output and error together: process 1 writes to the latter. */
  async log(): Promise<string> {
    const script = `podman logs ${this.container} 2>&1 || true`;
    return (await run('sh', ['-c', script], { env: this.podman.env, maxBuffer: 64 * 2 ** 20 })).stdout;
  }

  /** A client, once the node listens. The caller closes it. */
  async client(): Promise<NodeClient> {
    const [, fingerprint256 = ''] = await this.says(/certificate SHA-256 ([0-9A-F:]{95})/);
    const to = { transport: 'grpc', host: '127.0.0.1', port: this.port } as const;
    return createNodeClient({ ...to, apiKey: API_KEY, tls: { fingerprint256 } });
  }

  status(): Promise<string> {
    return this.podman.call('inspect', '--format', '{{.State.Status}} {{.State.ExitCode}}', this.container);
  }
}
