import { Body, Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import {
  BackendStatsResponse,
  BaseInfoResponse,
  CollectTrafficRequest,
  Empty,
  LatencyRequest,
  LatencyResponse,
  OnlineStatResponse,
  OnlineUsersResponse,
  StatRequest,
  StatResponse,
  StatsOnlineIpListResponse,
  SystemStatsResponse,
  TrafficBatch,
} from '@rampart/node-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NodeService } from '../../node.service.js';
import { decodeBackend, decodeUsers, type RawBackend, type RawUsers } from '../../wire/raw-messages.js';
import { type RawUser, scanUser } from '../../wire/raw-user.js';
import { chunkFrames } from './chunk-frames.js';
import { LogStream } from './log-stream.js';
import { Answers, Message } from './protobuf.js';

/** The REST door. Each GET with a body is a POST too, for intermediaries that drop the body of a GET. */
@Controller()
export class NodeRestController {
  constructor(
    private readonly node: NodeService,
    private readonly logStream: LogStream,
  ) {}

  @Post('start')
  @Answers(BaseInfoResponse)
  start(@Message('Backend', { decode: decodeBackend }) backend: RawBackend): Promise<BaseInfoResponse> {
    return this.node.start(backend);
  }

  @Put('stop')
  @Answers(Empty)
  stop(): Promise<void> {
    return this.node.stop();
  }

  @Get('info')
  @Answers(BaseInfoResponse)
  info(): BaseInfoResponse {
    return this.node.info();
  }

  @Get('logs')
  logs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.logStream.open(request, reply);
  }

  @Get('stats/system')
  @Answers(SystemStatsResponse)
  systemStats(): Promise<SystemStatsResponse> {
    return this.node.systemStats();
  }

  @Get('stats/backend')
  @Answers(BackendStatsResponse)
  backendStats(): Promise<BackendStatsResponse> {
    return this.node.backendStats();
  }

  @Get('stats')
  @Answers(StatResponse)
  stats(@Message('StatRequest', StatRequest) request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  @Post('stats')
  @Answers(StatResponse)
  postStats(@Message('StatRequest', StatRequest) request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  @Get('stats/user/online')
  @Answers(OnlineStatResponse)
  onlineStats(@Message('StatRequest', StatRequest) request: StatRequest): Promise<OnlineStatResponse> {
    return this.node.onlineStats(request);
  }

  @Post('stats/user/online')
  @Answers(OnlineStatResponse)
  postOnlineStats(@Message('StatRequest', StatRequest) request: StatRequest): Promise<OnlineStatResponse> {
    return this.node.onlineStats(request);
  }

  @Get('stats/user/online_ip')
  @Answers(StatsOnlineIpListResponse)
  onlineAddresses(@Message('StatRequest', StatRequest) request: StatRequest): Promise<StatsOnlineIpListResponse> {
    return this.node.onlineAddresses(request);
  }

  @Post('stats/user/online_ip')
  @Answers(StatsOnlineIpListResponse)
  postOnlineAddresses(@Message('StatRequest', StatRequest) request: StatRequest): Promise<StatsOnlineIpListResponse> {
    return this.node.onlineAddresses(request);
  }

  @Get('stats/users/online')
  @Answers(OnlineUsersResponse)
  onlineUsers(): Promise<OnlineUsersResponse> {
    return this.node.onlineUsers();
  }

  @Get('stats/latency')
  @Answers(LatencyResponse)
  latencies(@Message('LatencyRequest', LatencyRequest) request: LatencyRequest): Promise<LatencyResponse> {
    return this.node.latencies(request);
  }

  @Post('stats/latency')
  @Answers(LatencyResponse)
  postLatencies(@Message('LatencyRequest', LatencyRequest) request: LatencyRequest): Promise<LatencyResponse> {
    return this.node.latencies(request);
  }

  @Put('user/sync')
  @Answers(Empty)
  syncUser(@Message('User', { decode: scanUser }) user: RawUser): Promise<void> {
    return this.node.syncUser([user]);
  }

  @Put('users/sync')
  @Answers(Empty)
  syncUsers(@Message('Users', { decode: decodeUsers }) users: RawUsers): Promise<void> {
    return this.node.syncUsers(users);
  }

  @Put('users/sync/chunked')
  @Answers(Empty)
  syncUsersChunked(@Body() body: Buffer | null): Promise<void> {
    return this.node.syncUsersChunked(chunkFrames(body ?? Buffer.alloc(0)));
  }

  @Post('traffic/collect')
  @Answers(TrafficBatch)
  collectTraffic(
    @Message('CollectTrafficRequest', CollectTrafficRequest) request: CollectTrafficRequest,
  ): Promise<TrafficBatch> {
    return this.node.collectTraffic(request);
  }
}
