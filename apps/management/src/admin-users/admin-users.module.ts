import { Module } from '@nestjs/common';
import { AdminModule } from '../admins/admin.module.js';
import { AdminUsersController } from './admin-users.controller.js';
import { AdminUsersService } from './admin-users.service.js';

@Module({ imports: [AdminModule], controllers: [AdminUsersController], providers: [AdminUsersService] })
export class AdminUsersModule {}
