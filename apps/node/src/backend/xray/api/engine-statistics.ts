import { Metadata } from '@grpc/grpc-js';
import { type ObservatoryServiceClient, type OutboundStatus } from '../gen/observatory.js';
import type { StatsServiceClient, SysStatsResponse } from '../gen/stats.js';
import { callEngine, EngineNotFound } from './engine-call.js';

const TIMEOUT_MS = 3000;

/** Read-only calls about the engine and its connected users. */
export class EngineStatistics {
  constructor(
    private readonly stats: StatsServiceClient,
    private readonly observatory: ObservatoryServiceClient,
  ) {}

  /** @throws EngineNotAnswering */
  systemStats(): Promise<SysStatsResponse> {
    return callEngine((done) => this.stats.getSysStats({}, new Metadata(), callOptions(), done));
  }

  /**
   * Addresses of a user, with the time last seen in unix seconds; empty for an unknown user. The engine leaves out
   * 127.0.0.1 and ::1, and keeps an address of shadowsocks-2022 for five minutes. @throws EngineNotAnswering
   */
  async onlineAddresses(email: string): Promise<Map<string, bigint>> {
    const request = { name: `user>>>${email}>>>online` };
    const { ips } = await defaultIfNotFound({ ips: {} }, () =>
      callEngine<{ ips: Record<string, bigint> }>((done) =>
        this.stats.getStatsOnlineIpList(request, new Metadata(), callOptions(), done),
      ),
    );
    return new Map(Object.entries(ips).map(([address, seen]) => [address.replace(/^\[(.*)\]$/, '$1'), seen]));
  }

  /** E-mails of all connected users. @throws EngineNotAnswering */
  async onlineUsers(): Promise<string[]> {
    const { users } = await defaultIfNotFound({ users: [] }, () =>
      callEngine<{ users: string[] }>((done) => this.stats.getAllOnlineUsers({}, new Metadata(), callOptions(), done)),
    );
    return users.flatMap((name) => /^user>>>(.*)>>>online$/s.exec(name)?.[1] ?? []);
  }

  /**
   * The outbounds that the engine has probed; undefined when its configuration has no observatory. @throws
   * EngineNotAnswering
   */
  async outboundStatuses(): Promise<OutboundStatus[] | undefined> {
    const answer = await defaultIfNotFound(undefined, () =>
      callEngine<{ status?: { status: OutboundStatus[] } }>((done) =>
        this.observatory.getOutboundStatus({}, new Metadata(), callOptions(), done),
      ),
    );
    return answer && (answer.status?.status ?? []);
  }
}

const callOptions = () => ({ deadline: Date.now() + TIMEOUT_MS });

async function defaultIfNotFound<T>(nothing: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof EngineNotFound) return nothing;
    throw error;
  }
}
