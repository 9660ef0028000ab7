import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { addressRule, type ProbeResult, runProbe } from '@rampart/probe';
import { Semaphore } from '../concurrency/semaphore.js';
import { ManagementEnv } from '../env/management-env.js';
import { NameLookups } from '../nodes/connection/name-lookups.js';
import { TARGET_BYTES } from './probe-target.js';
import type { Viewpoint, ViewpointRequest } from './viewpoint.js';

const MAX_CONCURRENT = 2;

/** The machine of management as a viewpoint, where it has an engine. */
@Injectable()
export class OwnMachine implements BeforeApplicationShutdown {
  private readonly semaphore = new Semaphore(MAX_CONCURRENT);
  private readonly stopping = new AbortController();

  constructor(
    private readonly env: ManagementEnv,
    private readonly names: NameLookups,
  ) {}

  /** Undefined where there is no engine. */
  async find(): Promise<Viewpoint | undefined> {
    const { probeEngine } = this.env;
    const engine = probeEngine === undefined ? await this.findInPath('xray') : await executable(probeEngine);
    if (engine === undefined) return undefined;
    // Ends the engine with this process, however that ends.
    const setpriv = await this.findInPath('setpriv');
    const command = setpriv === undefined ? [engine] : [setpriv, '--pdeathsig', 'KILL', engine];
    const probe = (request: ViewpointRequest) => this.semaphore.run(() => this.run(command, request));
    return { nodeId: null, name: 'management', probe };
  }

  beforeApplicationShutdown(): void {
    this.stopping.abort(new Error('management is shutting down'));
  }

  private async run(command: readonly string[], request: ViewpointRequest): Promise<ProbeResult> {
    const directory = await mkdtemp(join(tmpdir(), 'rampart-probe-'));
    try {
      return await runProbe(
        { ...request, maxBytes: TARGET_BYTES },
        {
          ...{ command, environment: {}, directory, signal: this.stopping.signal },
          resolve: (name) => this.names.resolve(name),
          isAllowed: addressRule(this.env.probeNetworks),
        },
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }

  private async findInPath(name: string): Promise<string | undefined> {
    for (const folder of this.env.searchPath.split(delimiter).filter((entry) => entry !== '')) {
      const found = await executable(join(folder, name));
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

const executable = (path: string): Promise<string | undefined> =>
  access(path, constants.X_OK).then(
    () => path,
    () => undefined,
  );
