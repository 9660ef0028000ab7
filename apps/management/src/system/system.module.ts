import { Module } from '@nestjs/common';
import { Machine } from './machine.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

@Module({ controllers: [SystemController], providers: [Machine, SystemService] })
export class SystemModule {}
