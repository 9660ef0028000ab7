import { Module } from '@nestjs/common';
import { CoreModule } from '../cores/core.module.js';
import { HostController } from './host.controller.js';
import { HostService } from './host.service.js';

@Module({ imports: [CoreModule], controllers: [HostController], providers: [HostService], exports: [HostService] })
export class HostModule {}
