import { Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import {
  BackendStatsResponse,
  BaseInfoResponse,
  CertificateRequest,
  CollectTrafficRequest,
  Empty,
  IssuedCertificate,
  LatencyRequest,
  LatencyResponse,
  OnlineStatResponse,
  OnlineUsersResponse,
  ProbeRequest,
  ProbeResponse,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
} from '@rampart/node-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NodeService } from '../../node.service.js';
import {
  decodeBackend,
  decodeUsers,
  type RawBackend,
  type RawUsers,
  type RawUsersChunk,
} from '../../wire/raw-messages.js';
import { type RawUser, scanUser } from '../../wire/raw-user.js';
import { readChunkFrames } from './chunk-frames.js';
import { LogStream } from './log-stream.js';
import { MessageBody, RequiredMessageBody, RespondsWith } from './protobuf.js';

/** The REST API of the node. Each GET with a body is also a POST, for intermediaries that drop the body of a GET. */
@Controller()
export class NodeRestController {
  constructor(
    private readonly node: NodeService,
    private readonly logStream: LogStream,
  ) {}

  @Post('start')
  @RespondsWith(BaseInfoResponse)
  start(@RequiredMessageBody('Backend', { decode: decodeBackend }) backend: RawBackend): Promise<BaseInfoResponse> {
    return this.node.start(backend);
  }

  @Put('stop')
  @RespondsWith(Empty)
  stop(): Promise<void> {
    return this.node.stop();
  }

  @Get('info')
  @RespondsWith(BaseInfoResponse)
  info(): BaseInfoResponse {
    return this.node.info();
  }

  @Get('logs')
  logs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.logStream.openLogStream(request, reply);
  }

  @Get('stats/system')
  @RespondsWith(SystemStatsResponse)
  systemStats(): Promise<SystemStatsResponse> {
    return this.node.systemStats();
  }

  @Get('stats/backend')
  @RespondsWith(BackendStatsResponse)
  backendStats(): Promise<BackendStatsResponse> {
    return this.node.backendStats();
  }

  @Get('stats')
  @RespondsWith(StatResponse)
  stats(@MessageBody('StatRequest', StatRequest) request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  @Post('stats')
  @RespondsWith(StatResponse)
  postStats(@MessageBody('StatRequest', StatRequest) request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  @Get('stats/user/online')
  @RespondsWith(OnlineStatResponse)
  onlineStats(@MessageBody('StatRequest', StatRequest) request: StatRequest): Promise<OnlineStatResponse> {
    return this.node.onlineStats(request);
  }

  @Post('stats/user/online')
  @RespondsWith(OnlineStatResponse)
  postOnlineStats(@MessageBody('StatRequest', StatRequest) request: StatRequest): Promise<OnlineStatResponse> {
    return this.node.onlineStats(request);
  }

  @Get('stats/user/online_ip')
  @RespondsWith(StatsOnlineIpListResponse)
  onlineAddresses(@MessageBody('StatRequest', StatRequest) request: StatRequest): Promise<StatsOnlineIpListResponse> {
    return this.node.onlineAddresses(request);
  }

  @Post('stats/user/online_ip')
  @RespondsWith(StatsOnlineIpListResponse)
  postOnlineAddresses(
    @MessageBody('StatRequest', StatRequest) request: StatRequest,
  ): Promise<StatsOnlineIpListResponse> {
    return this.node.onlineAddresses(request);
  }

  @Get('stats/users/online')
  @RespondsWith(OnlineUsersResponse)
  onlineUsers(): Promise<OnlineUsersResponse> {
    return this.node.onlineUsers();
  }

  @Get('stats/latency')
  @RespondsWith(LatencyResponse)
  latencies(@MessageBody('LatencyRequest', LatencyRequest) request: LatencyRequest): Promise<LatencyResponse> {
    return this.node.latencies(request);
  }

  @Post('stats/latency')
  @RespondsWith(LatencyResponse)
  postLatencies(@MessageBody('LatencyRequest', LatencyRequest) request: LatencyRequest): Promise<LatencyResponse> {
    return this.node.latencies(request);
  }

  @Put('user/sync')
  @RespondsWith(Empty)
  syncUser(@RequiredMessageBody('User', { decode: scanUser }) user: RawUser): Promise<void> {
    return this.node.syncUser([user]);
  }

  @Put('users/sync')
  @RespondsWith(Empty)
  syncUsers(@RequiredMessageBody('Users', { decode: decodeUsers }) users: RawUsers): Promise<void> {
    return this.node.syncUsers(users);
  }

  @Put('users/sync/chunked')
  @RespondsWith(Empty)
  syncUsersChunked(
    @RequiredMessageBody('UsersChunk', { decode: readChunkFrames }) chunks: AsyncIterable<RawUsersChunk>,
  ): Promise<void> {
    return this.node.syncUsersChunked(chunks);
  }

  @Post('traffic/collect')
  @RespondsWith(TrafficBatch)
  collectTraffic(
    @MessageBody('CollectTrafficRequest', CollectTrafficRequest) request: CollectTrafficRequest,
  ): Promise<TrafficBatch> {
    return this.node.collectTraffic(request);
  }

  @Post('certificate/request')
  @RespondsWith(CertificateRequest)
  requestCertificate(): Promise<CertificateRequest> {
    return this.node.requestCertificate();
  }

  @Put('certificate')
  @RespondsWith(Empty)
  installCertificate(@MessageBody('IssuedCertificate', IssuedCertificate) issued: IssuedCertificate): Promise<void> {
    return this.node.installCertificate(issued);
  }

  @Post('probe')
  @RespondsWith(ProbeResponse)
  probe(@MessageBody('ProbeRequest', ProbeRequest) request: ProbeRequest): Promise<ProbeResponse> {
    return this.node.probe(request);
  }
}
