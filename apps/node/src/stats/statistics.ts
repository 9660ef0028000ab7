import type {
  BackendStatsResponse,
  LatencyRequest,
  LatencyResponse,
  OnlineStatResponse,
  OnlineUsersResponse,
  StatRequest,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
} from '@rampart/node-client';
import type { BackendStatistics } from '../backend/backend.js';
import { NodeError } from '../errors/node-error.js';
import type { SystemSampler } from './system-sampler.js';

/** Current statistics of the machine, the backend and its users. */
export class Statistics {
  constructor(
    private readonly backend: BackendStatistics,
    private readonly sampler: SystemSampler,
  ) {}

  /** Works while the engine is down too; the uptime, which is the engine's, is 0 then. */
  async systemStats(): Promise<SystemStatsResponse> {
    const engine = this.backend.runtime().catch(() => ({ uptime: 0 }));
    const { memTotal, memUsed, cpuCores, cpuUsage, received, sent } = await this.sampler.readSystem();
    return {
      memTotal: BigInt(memTotal),
      memUsed: BigInt(memUsed),
      cpuCores: BigInt(cpuCores),
      cpuUsage,
      incomingBandwidthSpeed: BigInt(received),
      outgoingBandwidthSpeed: BigInt(sent),
      uptime: BigInt((await engine).uptime),
    };
  }

  backendStats(): Promise<BackendStatsResponse> {
    return this.backend.runtime();
  }

  /** The number of distinct addresses of a user. */
  async onlineCount(request: StatRequest): Promise<OnlineStatResponse> {
    const { name, ips } = await this.onlineAddresses(request);
    return { name, value: BigInt(Object.keys(ips).length) };
  }

  async onlineAddresses({ name }: StatRequest): Promise<StatsOnlineIpListResponse> {
    if (name === '') throw new NodeError('INVALID_ARGUMENT', 'name is missing: online statistics need the email');
    return { name, ips: Object.fromEntries(await this.backend.onlineAddresses(name)) };
  }

  async onlineUsers(): Promise<OnlineUsersResponse> {
    return { emails: await this.backend.onlineUsers() };
  }

  /** Latency of one outbound, or of all that are measured. */
  async latencies({ name }: LatencyRequest): Promise<LatencyResponse> {
    const latencies = await this.backend.latencies();
    return { latencies: name === '' ? latencies : latencies.filter((latency) => latency.name === name) };
  }

  stopSampling(): void {
    this.sampler.stopSampling();
  }
}
