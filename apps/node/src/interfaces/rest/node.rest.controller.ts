import { Controller, Get, Post, Put, Req, Res } from '@nestjs/common';
import {
  Backend,
  BaseInfoResponse,
  CollectTrafficRequest,
  Empty,
  StatRequest,
  StatResponse,
  TrafficBatch,
  User,
  Users,
} from '@rampart/node-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NodeService } from '../../node.service.js';
import { LogStream } from './log-stream.js';
import { Answers, Message } from './protobuf.js';

/** The REST door. */
@Controller()
export class NodeRestController {
  constructor(
    private readonly node: NodeService,
    private readonly logStream: LogStream,
  ) {}

  @Post('start')
  @Answers(BaseInfoResponse)
  start(@Message('Backend', Backend) backend: Backend): Promise<BaseInfoResponse> {
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
  logs(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.logStream.open(request, reply);
  }

  @Get('stats')
  @Answers(StatResponse)
  stats(@Message('StatRequest', StatRequest) request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  /** For intermediaries that drop the body of a GET. */
  @Post('stats')
  @Answers(StatResponse)
  postStats(@Message('StatRequest', StatRequest) request: StatRequest): Promise<StatResponse> {
    return this.node.stats(request);
  }

  @Put('user/sync')
  @Answers(Empty)
  syncUser(@Message('User', User) user: User): Promise<void> {
    return this.node.syncUser([user]);
  }

  @Put('users/sync')
  @Answers(Empty)
  syncUsers(@Message('Users', Users) users: Users): Promise<void> {
    return this.node.syncUsers(users);
  }

  @Post('traffic/collect')
  @Answers(TrafficBatch)
  collectTraffic(
    @Message('CollectTrafficRequest', CollectTrafficRequest) request: CollectTrafficRequest,
  ): Promise<TrafficBatch> {
    return this.node.collectTraffic(request);
  }
}
