import { Injectable } from '@nestjs/common';
import type {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from '@rampart/node-client';

/** One line of the engine's log, numbered from 1 in order of arrival. */
export interface LogLine {
  readonly sequence: bigint;
  readonly detail: string;
}

/** Everything that a node can do, once, for every door (REST and gRPC). Errors are NodeErrors. */
@Injectable()
export class NodeService {
  start(_backend: Backend): Promise<BaseInfoResponse> {
    throw new Error('not here yet');
  }

  stop(): Promise<void> {
    throw new Error('not here yet');
  }

  info(): BaseInfoResponse {
    throw new Error('not here yet');
  }

  /** Lines after a sequence number (default: all that are kept), then new ones until the signal aborts. */
  logs(_options: { after?: bigint; signal: AbortSignal }): AsyncIterable<LogLine> {
    throw new Error('not here yet');
  }

  stats(_request: StatRequest): Promise<StatResponse> {
    throw new Error('not here yet');
  }

  /** Applies users one after another; those that the engine would refuse are named in one USERS_REFUSED, all others hold. */
  syncUser(_users: AsyncIterable<User> | Iterable<User>): Promise<void> {
    throw new Error('not here yet');
  }

  syncUsers(_users: Users): Promise<void> {
    throw new Error('not here yet');
  }

  collectTraffic(_request: CollectTrafficRequest): Promise<TrafficBatch> {
    throw new Error('not here yet');
  }
}
