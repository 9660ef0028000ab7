import type { BackendStatsResponse, Latency } from '@rampart/node-client';
import { NodeError } from '../../errors/node-error.js';
import type { BackendStatistics } from '../backend.js';
import { EngineNotAnswering } from './api/engine-call.js';
import type { EngineStatistics } from './api/engine-statistics.js';
import { isReserved } from './names/reserved.js';

interface StatisticsSource {
  readonly api: { readonly statistics: EngineStatistics };
}

export interface StatisticsSources {
  /** The engine that accepts connections. */
  serving(): StatisticsSource | undefined;
  /** Engines that still have older connections. */
  draining(): readonly StatisticsSource[];
}

/** Statistics of the serving engine; online users and addresses include those of draining engines. */
export class XrayStatistics implements BackendStatistics {
  constructor(private readonly sources: StatisticsSources) {}

  runtime(): Promise<BackendStatsResponse> {
    return translateSilence('failed to get sys stats', () => this.servingEngine().systemStats());
  }

  onlineAddresses(email: string): Promise<Map<string, bigint>> {
    return translateSilence('failed to get online stats', async () => {
      const lists = await this.askAllEngines((engine) => engine.onlineAddresses(email));
      const latest = new Map<string, bigint>();
      for (const [address, seen] of isReserved(email) ? [] : lists.flatMap((list) => [...list])) {
        if (seen >= (latest.get(address) ?? 0n)) latest.set(address, seen);
      }
      return latest;
    });
  }

  onlineUsers(): Promise<string[]> {
    return translateSilence('failed to get online stats', async () => {
      const lists = await this.askAllEngines((engine) => engine.onlineUsers());
      return [...new Set(lists.flat())].filter((email) => !isReserved(email));
    });
  }

  latencies(): Promise<Latency[]> {
    return translateSilence('failed to get outbound latency', async () => {
      const outbounds = await this.servingEngine().outboundStatuses();
      if (outbounds === undefined) {
        throw new NodeError(
          'LATENCY_UNAVAILABLE',
          'xray outbound latency is not available: the configuration has no observatory',
        );
      }
      return outbounds.map(({ outboundTag, alive, delay, lastSeenTime, lastTryTime }) => ({
        name: outboundTag,
        alive,
        delay,
        link: '',
        lastSeenTime,
        lastTryTime,
        source: '',
      }));
    });
  }

  private servingEngine(): EngineStatistics {
    const engine = this.sources.serving();
    if (engine === undefined) throw new NodeError('BACKEND_NOT_RUNNING', 'core is not started yet');
    return engine.api.statistics;
  }

  /** A draining engine may end during the call; it has no users left then. */
  private async askAllEngines<T>(ask: (engine: EngineStatistics) => Promise<T>): Promise<T[]> {
    const [serving, draining] = await Promise.all([
      ask(this.servingEngine()),
      Promise.allSettled(this.sources.draining().map(({ api }) => ask(api.statistics))),
    ]);
    return [serving, ...draining.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))];
  }
}

/** Translates a missing answer into the messages on which other systems match. */
async function translateSilence<T>(failure: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof EngineNotAnswering)) throw cause;
    throw new NodeError('ENGINE_NOT_ANSWERING', `${failure}: ${cause.message}`, { cause });
  }
}
