import { Metadata } from '@grpc/grpc-js';
import { type ObservatoryServiceClient, type OutboundStatus } from '../gen/observatory.js';
import type { StatsServiceClient, SysStatsResponse } from '../gen/stats.js';
import { call, EngineUnaware } from './engine-call.js';

const DEADLINE_MS = 3000;

/** What the engine tells about itself and about who is connected; nothing here changes anything. */
export class EngineStatistics {
  constructor(
    private readonly stats: StatsServiceClient,
    private readonly observatory: ObservatoryServiceClient,
  ) {}

  /** @throws EngineSilence */
  system(): Promise<SysStatsResponse> {
    return call((done) => this.stats.getSysStats({}, new Metadata(), options(), done));
  }

  /**
   * Address of a user -> last seen, unix seconds; nothing for one who never came. The engine leaves out 127.0.0.1 and
   * ::1, and keeps an address of shadowsocks-2022 for five minutes. @throws EngineSilence
   */
  async addresses(email: string): Promise<Map<string, bigint>> {
    const request = { name: `user>>>${email}>>>online` };
    const { ips } = await orElse({ ips: {} }, () =>
      call<{ ips: Record<string, bigint> }>((done) =>
        this.stats.getStatsOnlineIpList(request, new Metadata(), options(), done),
      ),
    );
    return new Map(Object.entries(ips).map(([address, seen]) => [address.replace(/^\[(.*)\]$/, '$1'), seen]));
  }

  /** E-mails of all who are connected. @throws EngineSilence */
  async onlineUsers(): Promise<string[]> {
    const { users } = await orElse({ users: [] }, () =>
      call<{ users: string[] }>((done) => this.stats.getAllOnlineUsers({}, new Metadata(), options(), done)),
    );
    return users.flatMap((name) => /^user>>>(.*)>>>online$/s.exec(name)?.[1] ?? []);
  }

  /** Outbounds as the engine has probed them; undefined when its configuration has no observatory. @throws EngineSilence */
  async outbounds(): Promise<OutboundStatus[] | undefined> {
    const answer = await orElse(undefined, () =>
      call<{ status?: { status: OutboundStatus[] } }>((done) =>
        this.observatory.getOutboundStatus({}, new Metadata(), options(), done),
      ),
    );
    return answer && (answer.status?.status ?? []);
  }
}

const options = () => ({ deadline: Date.now() + DEADLINE_MS });

async function orElse<T>(nothing: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof EngineUnaware) return nothing;
    throw error;
  }
}
