import type { Readable } from 'node:stream';
import { Controller, Get, Param, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Sudo, TellsSecrets } from '../../access/access-level.js';
import { type Actor, CurrentAdmin } from '../../access/actor.js';
import { Produces } from '../../http/produces.js';
import { IdPipe } from '../../validation/pipes/id.pipe.js';
import { NodeLogService } from '../logs/node-log.service.js';
import { type ByNode, NODE_SETTINGS, type NodeSettingsView, type NodeStatsView } from './node-live.dto.js';
import { NodeLiveService } from './node-live.service.js';

@Controller('api')
export class NodeLiveController {
  constructor(
    private readonly live: NodeLiveService,
    private readonly log: NodeLogService,
  ) {}

  /** Returns what management requires of nodes. */
  @Get('node/settings')
  @Sudo()
  settings(): NodeSettingsView {
    return NODE_SETTINGS;
  }

  /** Returns the present statistics of the machines of all enabled nodes by id; null for a node that does not answer. */
  @Get('nodes/realtime_stats')
  @Sudo()
  allStats(): Promise<ByNode<NodeStatsView | null>> {
    return this.live.allStats();
  }

  /** Returns the present statistics of the machine of a node. */
  @Get('node/:node_id/realtime_stats')
  @Sudo()
  stats(@Param('node_id', IdPipe) id: number): Promise<NodeStatsView> {
    return this.live.stats(id);
  }

  /** Returns the number of addresses from which a user is connected to a node, by the id of the node. */
  @Get('node/:node_id/online_stats/:username')
  @Sudo()
  online(
    @CurrentAdmin() actor: Actor,
    @Param('node_id', IdPipe) id: number,
    @Param('username') username: string,
  ): Promise<ByNode<number>> {
    return this.live.online(actor, id, username);
  }

  /**
   * Returns the addresses from which a user is connected to a node, with the unix seconds when each was last seen, by the
   * id of the node.
   */
  @Get('node/:node_id/online_stats/:username/ip')
  @Sudo()
  onlineAddresses(
    @CurrentAdmin() actor: Actor,
    @Param('node_id', IdPipe) id: number,
    @Param('username') username: string,
  ): Promise<ByNode<Record<string, number>>> {
    return this.live.onlineAddresses(actor, id, username);
  }

  /** Streams the log of a node's engine as server-sent events, one for each line, until the reader leaves. */
  @Get('node/:node_id/logs')
  @Sudo()
  @TellsSecrets('node logs', 'any')
  @Produces('text/event-stream')
  logs(
    @CurrentAdmin() actor: Actor,
    @Param('node_id', IdPipe) id: number,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    return this.log.open(actor, id, reply);
  }
}
