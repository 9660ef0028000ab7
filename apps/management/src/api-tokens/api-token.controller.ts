import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { AnyAdmin, ChangesIdentity } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import { IdPipe } from '../validation/pipes/id.pipe.js';
import {
  ApiTokenCreate,
  ApiTokenFilter,
  type ApiTokenListView,
  ApiTokenOwner,
  type CreatedApiTokenView,
  type DeletedApiTokensView,
} from './api-token.dto.js';
import { ApiTokenService } from './api-token.service.js';

@Controller('api')
export class ApiTokenController {
  constructor(private readonly tokens: ApiTokenService) {}

  /** Creates an API token for the caller, or for another admin. No later answer shows it again. */
  @Post('admin/tokens')
  @AnyAdmin()
  @ChangesIdentity()
  create(@CurrentAdmin() actor: Actor, @Body() token: ApiTokenCreate): Promise<CreatedApiTokenView> {
    return this.tokens.create(actor, token);
  }

  /** Lists API tokens. An admin who is not sudo gets only its own. */
  @Get('admin/tokens')
  @AnyAdmin()
  list(@CurrentAdmin() actor: Actor, @Query() filter: ApiTokenFilter): Promise<ApiTokenListView> {
    return this.tokens.list(actor, filter);
  }

  /** Deletes all API tokens of the caller, or of another admin. They become invalid at once. */
  @Delete('admin/tokens')
  @AnyAdmin()
  @ChangesIdentity()
  deleteAll(@CurrentAdmin() actor: Actor, @Query() owner: ApiTokenOwner): Promise<DeletedApiTokensView> {
    return this.tokens.deleteAll(actor, owner);
  }

  /** Deletes an API token, which becomes invalid at once. */
  // The second path collides with `admin/:username/users`, but the first one cannot be taken for another route.
  @Delete(['token/:token_id', 'admin/tokens/:token_id'])
  @AnyAdmin()
  @ChangesIdentity()
  @HttpCode(204)
  delete(@CurrentAdmin() actor: Actor, @Param('token_id', IdPipe) id: number): Promise<void> {
    return this.tokens.delete(actor, id);
  }
}
