import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Sudo } from '../auth/access-level.js';
import { IdPipe } from '../http/id.pipe.js';
import { Page } from '../http/page.js';
import { type CheckedHostView, HostCreate, type HostView } from './host.dto.js';
import { HostService } from './host.service.js';

@Controller('api')
export class HostController {
  constructor(private readonly hosts: HostService) {}

  @Post('host')
  @Sudo()
  create(@Body() host: HostCreate): Promise<CheckedHostView> {
    return this.hosts.create(host);
  }

  @Get('host/:host_id')
  @Sudo()
  get(@Param('host_id', IdPipe) id: number): Promise<HostView> {
    return this.hosts.get(id);
  }

  @Get('hosts')
  @Sudo()
  list(@Query() page: Page): Promise<HostView[]> {
    return this.hosts.list(page);
  }
}
