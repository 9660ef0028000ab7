import { type DynamicModule, Module } from '@nestjs/common';
import type { ManagementEnv } from '../env/management-env.js';
import { OpenApiController, PublicOpenApiController } from './open-api.controller.js';
import { OpenApiService } from './open-api.service.js';
import { ReferencePageController } from './reference-page.controller.js';
import { RouteRegistry } from './route-registry.js';

@Module({})
export class OpenApiModule {
  static of({ docs }: ManagementEnv): DynamicModule {
    return {
      module: OpenApiModule,
      controllers: docs ? [PublicOpenApiController, ReferencePageController] : [OpenApiController],
      providers: [OpenApiService, RouteRegistry],
    };
  }
}
