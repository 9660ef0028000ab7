import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../auth/access-level.js';
import { IdPipe } from '../http/id.pipe.js';
import { Page } from '../http/page.js';
import { type CheckedCoreView, CoreCreate, type CoreListView, type CoreView } from './core.dto.js';
import { CoreService } from './core.service.js';

@Controller('api')
export class CoreController {
  constructor(private readonly cores: CoreService) {}

  @Post('core')
  @Sudo()
  create(@Body() core: CoreCreate): Promise<CheckedCoreView> {
    return this.cores.create(core);
  }

  @Get('core/:core_id')
  @Sudo()
  get(@Param('core_id', IdPipe) id: number): Promise<CoreView> {
    return this.cores.get(id);
  }

  @Get('cores')
  @Sudo()
  list(@Query() page: Page): Promise<CoreListView> {
    return this.cores.list(page);
  }

  @Get('inbounds')
  @AnyAdmin()
  inbounds(): Promise<string[]> {
    return this.cores.inboundTags();
  }
}
