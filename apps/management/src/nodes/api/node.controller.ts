import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ChangesIdentity, Sudo } from '../../access/access-level.js';
import { type Actor, CurrentAdmin } from '../../access/actor.js';
import { Versioned } from '../../http/version.js';
import { IdPipe } from '../../validation/pipes/id.pipe.js';
import { WithoutBody } from '../../validation/reject-unknown-members.js';
import { NodeCreate, NodeModify, type NodeView } from './node.dto.js';
import { NodeService } from './node.service.js';
import { NodeBulkService } from './node-bulk.service.js';
import { NodeCommandService } from './node-command.service.js';
import { NodeEnrol, type NodeEnrolment } from './node-enrolment.dto.js';
import { NodeEnrolmentService } from './node-enrolment.service.js';
import { NodeListService } from './node-list.service.js';
import {
  NodeQuery,
  NodeSelection,
  type NodesView,
  ReconnectQuery,
  type ReconnectView,
  SyncQuery,
} from './node-query.dto.js';
import { UsageRevert, type UsageRevertView } from './usage-revert.dto.js';
import { UsageRevertService } from './usage-revert.service.js';

@Controller('api')
export class NodeController {
  constructor(
    private readonly nodes: NodeService,
    private readonly lists: NodeListService,
    private readonly commands: NodeCommandService,
    private readonly bulk: NodeBulkService,
    private readonly enrolments: NodeEnrolmentService,
    private readonly reverts: UsageRevertService,
  ) {}

  /** Registers a node; management connects to it at once. */
  @Versioned()
  @Post('node')
  @Sudo()
  @ChangesIdentity()
  create(@Body() node: NodeCreate): Promise<NodeView> {
    return this.nodes.create(node);
  }

  /** Creates a node with an API key and a certificate of this management. The answer has them as one setting of the node. */
  @Post('nodes/enrol')
  @Sudo()
  @ChangesIdentity()
  enrol(@Body() node: NodeEnrol): Promise<NodeEnrolment> {
    return this.enrolments.enrol(node);
  }

  /** Gives a node another API key and certificate, as one setting of the node. Those that it has had end at once. */
  @Post('node/:node_id/enrol')
  @Sudo()
  @ChangesIdentity()
  @HttpCode(200)
  enrolAgain(@Param('node_id', IdPipe) id: number): Promise<NodeEnrolment> {
    return this.enrolments.enrolAgain(id);
  }

  /** Returns one node. */
  @Versioned()
  @Get('node/:node_id')
  @Sudo()
  get(@Param('node_id', IdPipe) id: number): Promise<NodeView> {
    return this.nodes.get(id);
  }

  /** Changes a node. Management reconnects when the connection changes. */
  @Versioned()
  @Put('node/:node_id')
  @Sudo()
  @ChangesIdentity('connection')
  modify(
    @CurrentAdmin() actor: Actor,
    @Param('node_id', IdPipe) id: number,
    @Body() node: NodeModify,
  ): Promise<NodeView> {
    return this.nodes.modify(actor, id, node);
  }

  /** Deletes a node. Its last traffic is collected, and its engine is stopped. */
  @Versioned()
  @Delete('node/:node_id')
  @Sudo()
  @HttpCode(204)
  delete(@Param('node_id', IdPipe) id: number): Promise<void> {
    return this.nodes.delete(id);
  }

  /** Reconnects to a node and starts it with what is stored. A disabled node stays as it is. */
  @Post('node/:node_id/reconnect')
  @Sudo()
  @HttpCode(200)
  reconnect(@Param('node_id', IdPipe) id: number): Promise<object> {
    return this.commands.reconnect(id);
  }

  /** Sends a connected node the full set of users, of which it applies the differences. */
  @Put('node/:node_id/sync')
  @Sudo()
  sync(@Param('node_id', IdPipe) id: number, @Query() _query: SyncQuery): Promise<object> {
    return this.commands.sync(id);
  }

  /**
   * Takes back what a node has reported in some hours, from the counters of users, admins and the node. Their history of
   * these hours is deleted with it.
   */
  @Post('node/:node_id/usage/revert')
  @Sudo()
  @HttpCode(200)
  revertUsage(@Param('node_id', IdPipe) id: number, @Body() hours: UsageRevert): Promise<UsageRevertView> {
    return this.reverts.revert(id, hours);
  }

  /** Lists the nodes by id. */
  @Get('nodes')
  @Sudo()
  list(@Query() query: NodeQuery): Promise<NodeView[]> {
    return this.lists.listNodes(query);
  }

  /** Reconnects to all enabled nodes, or to those of one core. */
  @Post('nodes/reconnect')
  @Sudo()
  @WithoutBody()
  @HttpCode(200)
  reconnectAll(@Query() query: ReconnectQuery): Promise<ReconnectView> {
    return this.bulk.reconnectAll(query);
  }

  /** Deletes several nodes. The answer names them. */
  @Post('nodes/bulk/delete')
  @Sudo()
  @HttpCode(200)
  bulkDelete(@Body() selection: NodeSelection): Promise<NodesView> {
    return this.bulk.deleteNodes(selection);
  }

  /** Disables several nodes. The answer names those that were enabled. */
  @Post('nodes/bulk/disable')
  @Sudo()
  @HttpCode(200)
  bulkDisable(@Body() selection: NodeSelection): Promise<NodesView> {
    return this.bulk.disableNodes(selection);
  }

  /** Enables several nodes. The answer names those that were disabled. */
  @Post('nodes/bulk/enable')
  @Sudo()
  @HttpCode(200)
  bulkEnable(@Body() selection: NodeSelection): Promise<NodesView> {
    return this.bulk.enableNodes(selection);
  }

  /** Reconnects to several nodes. The answer names those that are enabled. */
  @Post('nodes/bulk/reconnect')
  @Sudo()
  @HttpCode(200)
  bulkReconnect(@Body() selection: NodeSelection): Promise<NodesView> {
    return this.bulk.reconnectNodes(selection);
  }
}
