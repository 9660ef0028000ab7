import { Module } from '@nestjs/common';
import { GroupModule } from '../groups/group.module.js';
import { UserModule } from '../users/user.module.js';
import { FromTemplateController } from './from-template.controller.js';
import { FromTemplateService } from './from-template.service.js';
import { UserTemplateController } from './user-template.controller.js';
import { UserTemplateService } from './user-template.service.js';

@Module({
  imports: [GroupModule, UserModule],
  controllers: [UserTemplateController, FromTemplateController],
  providers: [UserTemplateService, FromTemplateService],
})
export class UserTemplateModule {}
