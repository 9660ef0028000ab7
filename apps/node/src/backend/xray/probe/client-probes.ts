import type { ProbeRequest, ProbeResponse } from '@rampart/node-client';
import { addressRule, type ProbeMachine, runProbe } from '@rampart/probe';
import type { NodeSettings } from '../../../env/node.settings.js';
import { NodeError } from '../../../errors/node-error.js';
import { locateEngine } from '../executable/locate-engine.js';
import { engineOwnerMark, OWNER_VARIABLE } from '../process/orphaned-engines.js';
import { createRunDirectory, removeRunDirectory } from '../process/run-directory.js';
import type { EngineRights } from '../rights/engine-rights.js';
import { ProbeSlots } from './probe-slots.js';

const DEFAULT_MS = 15_000;
const MAX_MS = 30_000;
const DEFAULT_BYTES = 1024 * 1024;
const MAX_BYTES = 4 * DEFAULT_BYTES;

export interface ClientProbesOptions {
  readonly dataDir: string;
  readonly settings: NodeSettings;
  /** What the process of a client may do: no more than that of an engine without capabilities. */
  readonly rights: () => Promise<EngineRights>;
  /** Resolves when nothing of an earlier node is left. */
  readonly ready: () => Promise<void>;
}

/** Probes of proxies: each runs in a client engine of its own, with the rights of an engine and a directory for itself. */
export class ClientProbes {
  private readonly slots = new ProbeSlots();
  private readonly ending = new AbortController();
  private readonly isAllowed: ProbeMachine['isAllowed'];

  constructor(private readonly options: ClientProbesOptions) {
    this.isAllowed = addressRule(options.settings.probeNetworks ?? []);
  }

  async run({ outbounds, url, timeoutMs, maxBytes }: ProbeRequest): Promise<ProbeResponse> {
    checkUrl(url);
    checkAtMost('timeout_ms', timeoutMs, MAX_MS);
    checkAtMost('max_bytes', maxBytes, MAX_BYTES);
    const request = { outbounds, url, timeoutMs: timeoutMs || DEFAULT_MS, maxBytes: maxBytes || DEFAULT_BYTES };
    const { signal } = this.ending;
    return this.slots.run(signal, async () => {
      const result = await this.withMachine((machine) => runProbe(request, machine));
      return { ...result, bytesPerSecond: BigInt(result.bytesPerSecond) };
    });
  }

  async endAll(): Promise<void> {
    this.ending.abort(new NodeError('SHUTTING_DOWN', 'the node is shutting down'));
    await this.slots.idle();
  }

  private async withMachine<T>(work: (machine: ProbeMachine) => Promise<T>): Promise<T> {
    const { dataDir, settings, ready } = this.options;
    await ready();
    const [{ path }, rights] = await Promise.all([locateEngine(settings.engine), this.options.rights()]);
    const directory = await createRunDirectory(dataDir, rights);
    try {
      return await work({
        command: [...rights.wrapper([]), path],
        environment: { ...clientEnvironment(settings), [OWNER_VARIABLE]: engineOwnerMark(dataDir) },
        directory,
        isAllowed: this.isAllowed,
        signal: this.ending.signal,
      });
    } finally {
      await removeRunDirectory(directory);
    }
  }
}

/** Without the limits of the serving engine, which are none of a probe. */
function clientEnvironment({ engine }: NodeSettings): Record<string, string> {
  const { GOMEMLIMIT: _limit, GOMAXPROCS: _processors, ...rest } = engine.environment;
  return rest;
}

function checkUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return;
  throw new NodeError('INVALID_ARGUMENT', 'url should be an http or https URL');
}

function checkAtMost(name: string, value: number, max: number): void {
  if (value > max) throw new NodeError('INVALID_ARGUMENT', `${name} should be at most ${max}`);
}
