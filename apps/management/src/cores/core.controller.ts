import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, Sudo, TellsSecrets } from '../access/access-level.js';
import { Page } from '../http/page.js';
import { Versioned } from '../http/version.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { type CheckedCoreView, CoreChangeQuery, CoreCreate, type CoreListView } from './core.dto.js';
import { CoreService } from './core.service.js';
import { CoreCheckQuery, type CoreCheckView } from './core-check.dto.js';
import { CoreCheckService } from './core-check.service.js';

@Controller('api')
export class CoreController {
  constructor(
    private readonly cores: CoreService,
    private readonly checks: CoreCheckService,
  ) {}

  /** Checks a core configuration as a whole and creates it. */
  @Versioned()
  @Post('core')
  @Sudo()
  @TellsSecrets('cores')
  create(@Body() core: CoreCreate): Promise<CheckedCoreView> {
    return this.cores.create(core);
  }

  /** Returns one core configuration. */
  @Versioned()
  @Get('core/:core_id')
  @Sudo()
  @TellsSecrets('cores')
  get(@Param('core_id', IdPipe) id: number): Promise<CheckedCoreView> {
    return this.cores.get(id);
  }

  /** Checks a core configuration as a whole and replaces it. */
  @Versioned()
  @Put('core/:core_id')
  @Sudo()
  @TellsSecrets('cores')
  modify(
    @Param('core_id', IdPipe) id: number,
    @Body() core: CoreCreate,
    @Query() query: CoreChangeQuery,
  ): Promise<CheckedCoreView> {
    return this.cores.modify(id, core, query);
  }

  /** Deletes a core configuration. The one with the id 1 cannot be deleted. */
  @Versioned()
  @Delete('core/:core_id')
  @Sudo()
  @HttpCode(204)
  @TellsSecrets('cores')
  delete(@Param('core_id', IdPipe) id: number): Promise<void> {
    return this.cores.delete(id);
  }

  /** Restarts the nodes of a core configuration with its stored state. */
  @Post('core/:core_id/restart')
  @Sudo()
  @HttpCode(204)
  restart(@Param('core_id', IdPipe) id: number): Promise<void> {
    return this.cores.restart(id);
  }

  /** Checks a core configuration like a save, without saving it, and tells what the save would change. */
  @Post('cores/check')
  @Sudo()
  @HttpCode(200)
  @TellsSecrets('cores')
  check(@Body() core: CoreCreate, @Query() query: CoreCheckQuery): Promise<CoreCheckView> {
    return this.checks.check(core, query);
  }

  /** Lists the core configurations by id. */
  @Get('cores')
  @Sudo()
  @TellsSecrets('cores')
  list(@Query() page: Page): Promise<CoreListView> {
    return this.cores.list(page);
  }

  /** Lists the tags of all inbounds that the cores offer to groups and hosts. */
  @Get('inbounds')
  @AnyAdmin()
  inbounds(): Promise<string[]> {
    return this.cores.inboundTags();
  }
}
