import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { NodeEnv } from './env/node-env.js';
import { ErrorFilter } from './interfaces/error.filter.js';
import { NodeGrpcController } from './interfaces/grpc/node.grpc.controller.js';
import { LogStream } from './interfaces/rest/log-stream.js';
import { NodeRestController } from './interfaces/rest/node.rest.controller.js';
import { NodeModule } from './node.module.js';

/** The node with the transports (REST, gRPC) that its settings enable. */
@Module({})
export class AppModule {
  static with(env: NodeEnv): DynamicModule {
    return {
      module: AppModule,
      imports: [NodeModule.forRoot(env.settings)],
      controllers: [
        ...(env.protocol === 'rest' ? [] : [NodeGrpcController]),
        ...(env.protocol === 'grpc' ? [] : [NodeRestController]),
      ],
      providers: [{ provide: APP_FILTER, useClass: ErrorFilter }, LogStream],
    };
  }
}
