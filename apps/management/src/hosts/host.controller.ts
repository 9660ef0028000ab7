import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { Sudo } from '../access/access-level.js';
import { Page } from '../http/page.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { ListPipe } from '../validation/pipes/list.pipe.js';
import { type CheckedHostView, HostCreate, HostElement, type HostView } from './host.dto.js';
import { HostService } from './host.service.js';

@Controller('api')
export class HostController {
  constructor(private readonly hosts: HostService) {}

  /** Creates a host. */
  @Post('host')
  @Sudo()
  create(@Body() host: HostCreate): Promise<CheckedHostView> {
    return this.hosts.create(host);
  }

  /** Returns one host. */
  @Get('host/:host_id')
  @Sudo()
  get(@Param('host_id', IdPipe) id: number): Promise<HostView> {
    return this.hosts.get(id);
  }

  /** Replaces a host. */
  @Put('host/:host_id')
  @Sudo()
  modify(@Param('host_id', IdPipe) id: number, @Body() host: HostCreate): Promise<CheckedHostView> {
    return this.hosts.modify(id, host);
  }

  /** Deletes a host. */
  @Delete('host/:host_id')
  @Sudo()
  @HttpCode(204)
  delete(@Param('host_id', IdPipe) id: number): Promise<void> {
    return this.hosts.delete(id);
  }

  /**
   * Replaces hosts with known ids and creates the others. Hosts that are not in the list stay as they are. The answer
   * contains all hosts.
   */
  @Put('hosts')
  @Sudo()
  modifyAll(@Body(new ListPipe(HostElement)) hosts: HostElement[]): Promise<CheckedHostView[]> {
    return this.hosts.modifyAll(hosts);
  }

  /** Lists the hosts by priority. */
  @Get('hosts')
  @Sudo()
  list(@Query() page: Page): Promise<HostView[]> {
    return this.hosts.list(page);
  }
}
