import { Controller, UseInterceptors } from '@nestjs/common';
import { GrpcMethod, GrpcStreamCall } from '@nestjs/microservices';
import {
  type BackendStatsResponse,
  type BaseInfoResponse,
  type CertificateRequest,
  type CollectTrafficRequest,
  type Empty,
  type IssuedCertificate,
  type LatencyRequest,
  type LatencyResponse,
  type Log,
  type OnlineStatResponse,
  type OnlineUsersResponse,
  type ProbeRequest,
  type ProbeResponse,
  type StatRequest,
  StatResponse,
  type StatsOnlineIpListResponse,
  type SystemStatsResponse,
  TrafficBatch,
} from '@rampart/node-client';
import { NodeService } from '../../node.service.js';
import type { RawBackend, RawUsers, RawUsersChunk } from '../../wire/raw-messages.js';
import type { RawUser } from '../../wire/raw-user.js';
import { encodeYielding } from '../messages/encode-yielding.js';
import { CallSignal, type ClientStream, LastEventId, requestMessages } from './grpc-call.js';
import { PullStream } from './pull-stream.interceptor.js';

/** The gRPC API of the node. */
@Controller()
export class NodeGrpcController {
  constructor(private readonly node: NodeService) {}

  @GrpcMethod('NodeService', 'Start')
  start(backend: RawBackend): Promise<BaseInfoResponse> {
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
  logs(@CallSignal() signal: AbortSignal, @LastEventId() after?: bigint): Promise<AsyncIterable<readonly Log[]>> {
    return this.node.logs({ after, signal });
  }

  @GrpcMethod('NodeService', 'GetSystemStats')
  systemStats(): Promise<SystemStatsResponse> {
    return this.node.systemStats();
  }

  @GrpcMethod('NodeService', 'GetBackendStats')
  backendStats(): Promise<BackendStatsResponse> {
    return this.node.backendStats();
  }

  @GrpcMethod('NodeService', 'GetOutboundsLatency')
  latencies(request: LatencyRequest): Promise<LatencyResponse> {
    return this.node.latencies(request);
  }

  @GrpcMethod('NodeService', 'GetUserOnlineStats')
  onlineStats(request: StatRequest): Promise<OnlineStatResponse> {
    return this.node.onlineStats(request);
  }

  @GrpcMethod('NodeService', 'GetUserOnlineIpListStats')
  onlineAddresses(request: StatRequest): Promise<StatsOnlineIpListResponse> {
    return this.node.onlineAddresses(request);
  }

  @GrpcMethod('NodeService', 'GetOnlineUsers')
  onlineUsers(): Promise<OnlineUsersResponse> {
    return this.node.onlineUsers();
  }

  @GrpcMethod('NodeService', 'GetStats')
  async stats(request: StatRequest): Promise<Buffer> {
    return encodeYielding(StatResponse, await this.node.stats(request));
  }

  @GrpcStreamCall('NodeService', 'SyncUser')
  syncUser(call: ClientStream<RawUser>): Promise<Empty> {
    return this.node.syncUser(requestMessages(call)).then(empty);
  }

  @GrpcMethod('NodeService', 'SyncUsers')
  syncUsers(users: RawUsers): Promise<Empty> {
    return this.node.syncUsers(users).then(empty);
  }

  @GrpcStreamCall('NodeService', 'SyncUsersChunked')
  syncUsersChunked(call: ClientStream<RawUsersChunk>): Promise<Empty> {
    return this.node.syncUsersChunked(requestMessages(call)).then(empty);
  }

  @GrpcMethod('NodeService', 'CollectTraffic')
  async collectTraffic(request: CollectTrafficRequest): Promise<Buffer> {
    return encodeYielding(TrafficBatch, await this.node.collectTraffic(request));
  }

  @GrpcMethod('NodeService', 'RequestCertificate')
  requestCertificate(): Promise<CertificateRequest> {
    return this.node.requestCertificate();
  }

  @GrpcMethod('NodeService', 'InstallCertificate')
  installCertificate(issued: IssuedCertificate): Promise<Empty> {
    return this.node.installCertificate(issued).then(empty);
  }

  @GrpcMethod('NodeService', 'Probe')
  probe(request: ProbeRequest): Promise<ProbeResponse> {
    return this.node.probe(request);
  }
}

const empty = (): Empty => ({});
