import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { Sudo, TellsSecrets } from '../access/access-level.js';
import { Page } from '../http/page.js';
import { Versioned } from '../http/version.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { ListPipe } from '../validation/pipes/list.pipe.js';
import {
  type CheckedHostView,
  HostCheckQuery,
  type HostCheckView,
  HostCreate,
  HostElement,
  HostOrder,
  type HostView,
} from './host.dto.js';
import { HostService } from './host.service.js';
import { HostOrderService } from './host-order.service.js';

@Controller('api')
export class HostController {
  constructor(
    private readonly hosts: HostService,
    private readonly orders: HostOrderService,
  ) {}

  /** Creates a host. */
  @Versioned()
  @Post('host')
  @Sudo()
  @TellsSecrets('hosts')
  create(@Body() host: HostCreate): Promise<CheckedHostView> {
    return this.hosts.create(host);
  }

  /** Returns one host. */
  @Versioned()
  @Get('host/:host_id')
  @Sudo()
  @TellsSecrets('hosts')
  get(@Param('host_id', IdPipe) id: number): Promise<HostView> {
    return this.hosts.get(id);
  }

  /** Replaces a host. */
  @Versioned()
  @Put('host/:host_id')
  @Sudo()
  @TellsSecrets('hosts')
  modify(@Param('host_id', IdPipe) id: number, @Body() host: HostCreate): Promise<CheckedHostView> {
    return this.hosts.modify(id, host);
  }

  /** Deletes a host. */
  @Versioned()
  @Delete('host/:host_id')
  @Sudo()
  @HttpCode(204)
  @TellsSecrets('hosts')
  delete(@Param('host_id', IdPipe) id: number): Promise<void> {
    return this.hosts.delete(id);
  }

  /**
   * Replaces hosts with known ids and creates the others. Hosts that are not in the list stay as they are. The answer
   * contains all hosts.
   */
  @Put('hosts')
  @Sudo()
  @TellsSecrets('hosts')
  modifyAll(@Body(new ListPipe(HostElement)) hosts: HostElement[]): Promise<CheckedHostView[]> {
    return this.hosts.modifyAll(hosts);
  }

  /** Puts hosts into another order. The answer contains all hosts by priority. */
  @Patch('hosts/order')
  @Sudo()
  @TellsSecrets('hosts')
  reorder(@Body() order: HostOrder): Promise<HostView[]> {
    return this.orders.reorder(order);
  }

  /** Checks a host like a save, without saving it. */
  @Post('hosts/check')
  @Sudo()
  @HttpCode(200)
  check(@Body() host: HostCreate, @Query() query: HostCheckQuery): Promise<HostCheckView> {
    return this.hosts.check(host, query);
  }

  /** Lists the hosts by priority. */
  @Get('hosts')
  @Sudo()
  @TellsSecrets('hosts')
  list(@Query() page: Page): Promise<HostView[]> {
    return this.hosts.list(page);
  }
}
