import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import { Page } from '../http/page.js';
import { Versioned } from '../http/version.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import { UserTemplateCreate, UserTemplateModify, type UserTemplateView } from './user-template.dto.js';
import { UserTemplateService } from './user-template.service.js';

@Controller('api')
export class UserTemplateController {
  constructor(private readonly templates: UserTemplateService) {}

  /** Creates a user template. */
  @Versioned()
  @Post('user_template')
  @Sudo()
  create(@Body() template: UserTemplateCreate): Promise<UserTemplateView> {
    return this.templates.create(template);
  }

  /** Lists the user templates. */
  @Get('user_templates')
  @AnyAdmin()
  list(@Query() page: Page): Promise<UserTemplateView[]> {
    return this.templates.list(page);
  }

  /** Returns one user template. */
  @Versioned()
  @Get('user_template/:template_id')
  @AnyAdmin()
  get(@Param('template_id', IdPipe) id: number): Promise<UserTemplateView> {
    return this.templates.get(id);
  }

  /** Changes a user template. Users that were created from it stay unchanged. */
  @Versioned()
  @Put('user_template/:template_id')
  @Sudo()
  modify(@Param('template_id', IdPipe) id: number, @Body() changes: UserTemplateModify): Promise<UserTemplateView> {
    return this.templates.modify(id, changes);
  }

  /** Deletes a user template. Users that were created from it stay unchanged. */
  @Versioned()
  @Delete('user_template/:template_id')
  @Sudo()
  @HttpCode(204)
  delete(@Param('template_id', IdPipe) id: number): Promise<void> {
    return this.templates.delete(id);
  }
}
