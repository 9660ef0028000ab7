import { Controller, UseInterceptors } from '@nestjs/common';
import { GrpcMethod, GrpcStreamCall } from '@nestjs/microservices';
import type {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  Empty,
  Log,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from '@rampart/node-client';
import { NodeService } from '../../node.service.js';
import { CallSignal, type GrpcCall, requestsOf } from './grpc-call.js';
import { PullStream } from './pull-stream.interceptor.js';

/** The gRPC door. */
@Controller()
export class NodeGrpcController {
  constructor(private readonly node: NodeService) {}

  @GrpcMethod('NodeService', 'Start')
  start(backend: Backend): Promise<BaseInfoResponse> {
    return this.node.start(backend);
  }

  @GrpcMethod('NodeService', 'Stop')
  async stop(): Promise<Empty> {
    return this.node.stop().then(empty);
  }

  @GrpcMethod('NodeService', 'GetBaseInfo')
  info(): BaseInfoResponse {
    return this.node.info();
  }

  @GrpcMethod('NodeService', 'GetLogs')
  @UseInterceptors(PullStream)
  logs(@CallSignal() signal: AbortSignal): AsyncIterable<Log> {
    return this.node.logs({ signal });
  }

  @GrpcMethod('NodeService', 'GetStats')
  stats(request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  @GrpcStreamCall('NodeService', 'SyncUser')
  syncUser(call: GrpcCall & AsyncIterable<User>): Promise<Empty> {
    return this.node.syncUser(requestsOf(call)).then(empty);
  }

  @GrpcMethod('NodeService', 'SyncUsers')
  syncUsers(users: Users): Promise<Empty> {
    return this.node.syncUsers(users).then(empty);
  }

  @GrpcMethod('NodeService', 'CollectTraffic')
  collectTraffic(request: CollectTrafficRequest): Promise<TrafficBatch> {
    return this.node.collectTraffic(request);
  }
}

const empty = (): Empty => ({});
