import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Sudo } from '../auth/access-level.js';
import { IdPipe } from '../http/id.pipe.js';
import { NodeCreate, NodeQuery, type NodeView } from './node.dto.js';
import { NodeService } from './node.service.js';

@Controller('api')
export class NodeController {
  constructor(private readonly nodes: NodeService) {}

  @Post('node')
  @Sudo()
  create(@Body() node: NodeCreate): Promise<NodeView> {
    return this.nodes.create(node);
  }

  @Get('node/:node_id')
  @Sudo()
  get(@Param('node_id', IdPipe) id: number): Promise<NodeView> {
    return this.nodes.get(id);
  }

  @Get('nodes')
  @Sudo()
  list(@Query() query: NodeQuery): Promise<NodeView[]> {
    return this.nodes.list(query);
  }
}
