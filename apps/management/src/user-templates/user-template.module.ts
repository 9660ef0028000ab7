import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { GroupModule } from '../groups/group.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { UserModule } from '../users/user.module.js';
import { FromTemplateController } from './from-template.controller.js';
import { FromTemplateService } from './from-template.service.js';
import { UserTemplateController } from './user-template.controller.js';
import { UserTemplateRepository } from './user-template.repository.js';
import { UserTemplateService } from './user-template.service.js';

@Module({
  imports: [AdminModule, GroupModule, UsageModule, UserModule],
  controllers: [UserTemplateController, FromTemplateController],
  providers: [UserTemplateRepository, UserTemplateService, FromTemplateService],
})
export class UserTemplateModule {}
