import { Module } from '@nestjs/common';
import { UserListRepository } from './list/user-list.repository.js';

@Module({ providers: [UserListRepository], exports: [UserListRepository] })
export class UserStoreModule {}
