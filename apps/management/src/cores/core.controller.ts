import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../auth/access-level.js';
import { IdPipe } from '../http/id.pipe.js';
import { Page } from '../http/page.js';
import { type CheckedCoreView, CoreChangeQuery, CoreCreate, type CoreListView } from './core.dto.js';
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
  get(@Param('core_id', IdPipe) id: number): Promise<CheckedCoreView> {
    return this.cores.get(id);
  }

  @Put('core/:core_id')
  @Sudo()
  modify(
    @Param('core_id', IdPipe) id: number,
    @Body() core: CoreCreate,
    @Query() query: CoreChangeQuery,
  ): Promise<CheckedCoreView> {
    return this.cores.modify(id, core, query);
  }

  @Delete('core/:core_id')
  @Sudo()
  @HttpCode(204)
  delete(@Param('core_id', IdPipe) id: number): Promise<void> {
    return this.cores.delete(id);
  }

  @Post('core/:core_id/restart')
  @Sudo()
  @HttpCode(204)
  restart(@Param('core_id', IdPipe) id: number): Promise<void> {
    return this.cores.restart(id);
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
