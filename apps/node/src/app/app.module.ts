import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import type { NodeEnv } from '../env/node-env.js';
import { CallIdInterceptor } from '../interfaces/call-id.interceptor.js';
import { ErrorFilter } from '../interfaces/error.filter.js';
import { NodeGrpcController } from '../interfaces/grpc/node.grpc.controller.js';
import { LogStream } from '../interfaces/rest/log-stream.js';
import { NodeRestController } from '../interfaces/rest/node.rest.controller.js';
import { NodeModule } from '../node.module.js';
import type { EnrolledCertificate } from '../tls/enrolled-certificate.js';

/** The node with the transports (REST, gRPC) that its settings enable. */
@Module({})
export class AppModule {
  static with(env: NodeEnv, certificate?: EnrolledCertificate): DynamicModule {
    return {
      module: AppModule,
      imports: [NodeModule.forRoot(env.settings, certificate)],
      controllers: [
        ...(env.protocol === 'rest' ? [] : [NodeGrpcController]),
        ...(env.protocol === 'grpc' ? [] : [NodeRestController]),
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_INTERCEPTOR, useClass: CallIdInterceptor },
        LogStream,
      ],
    };
  }
}
