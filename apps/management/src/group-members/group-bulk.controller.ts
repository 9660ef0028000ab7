import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AnyAdmin } from '../access/access-level.js';
import { type Actor, CurrentAdmin } from '../access/actor.js';
import type { BulkView } from '../bulk/bulk.view.js';
import { SerializedPerAdmin } from '../http/serialized-per-admin.js';
import { BulkGroup } from './group-bulk.dto.js';
import { GroupBulkService } from './group-bulk.service.js';

@Controller('api')
export class GroupBulkController {
  constructor(private readonly bulk: GroupBulkService) {}

  /** Adds groups to many users. The answer contains the number of users whose groups have changed. */
  @Post('groups/bulk/add')
  @AnyAdmin()
  @SerializedPerAdmin()
  @HttpCode(200)
  bulkAdd(@CurrentAdmin() actor: Actor, @Body() request: BulkGroup): Promise<BulkView> {
    return this.bulk.addGroups(actor, request);
  }

  /** Removes groups from many users. The answer contains the number of users whose groups have changed. */
  @Post('groups/bulk/remove')
  @AnyAdmin()
  @SerializedPerAdmin()
  @HttpCode(200)
  bulkRemove(@CurrentAdmin() actor: Actor, @Body() request: BulkGroup): Promise<BulkView> {
    return this.bulk.removeGroups(actor, request);
  }
}
