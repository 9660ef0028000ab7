import { Module } from '@nestjs/common';
import { GroupModule } from '../groups/group.module.js';
import { UserController } from './user.controller.js';
import { UserService } from './user.service.js';

@Module({ imports: [GroupModule], controllers: [UserController], providers: [UserService], exports: [UserService] })
export class UserModule {}
