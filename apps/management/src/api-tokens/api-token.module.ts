import { Module } from '@nestjs/common';
import { ApiTokenController } from './api-token.controller.js';
import { ApiTokenService } from './api-token.service.js';

@Module({ controllers: [ApiTokenController], providers: [ApiTokenService], exports: [ApiTokenService] })
export class ApiTokenModule {}
