import { Module } from '@nestjs/common';
import { CoreStoreModule } from '../core-store/core-store.module.js';
import { CoreController } from './core.controller.js';
import { CoreService } from './core.service.js';

@Module({ imports: [CoreStoreModule], controllers: [CoreController], providers: [CoreService] })
export class CoreModule {}
