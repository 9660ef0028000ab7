import {
  applyDecorators,
  Body,
  type CallHandler,
  type ExecutionContext,
  HttpCode,
  type NestInterceptor,
  type PipeTransform,
  UseInterceptors,
} from '@nestjs/common';
import type { MessageFns } from '@rampart/node-client';
import type { FastifyReply } from 'fastify';
import { map, type Observable } from 'rxjs';
import { malformed } from '../malformed.js';

export const PROTOBUF = 'application/x-protobuf';

/** Parameter of a handler: the request's body as a message; no body is the empty message. */
export const Message = <T>(name: string, type: MessageFns<T>): ParameterDecorator => Body(new MessagePipe(name, type));

/** The handler's result is this message; 200 whatever the method. */
export const Answers = <T>(type: MessageFns<T>): MethodDecorator =>
  applyDecorators(HttpCode(200), UseInterceptors(new MessageInterceptor(type)));

class MessagePipe<T> implements PipeTransform<Buffer | null | undefined, T> {
  constructor(
    private readonly name: string,
    private readonly type: MessageFns<T>,
  ) {}

  transform(body: Buffer | null | undefined): T {
    try {
      return this.type.decode(body ?? new Uint8Array());
    } catch (cause) {
      throw malformed(this.name, cause);
    }
  }
}

class MessageInterceptor<T> implements NestInterceptor<T, Buffer> {
  constructor(private readonly type: MessageFns<T>) {}

  intercept(context: ExecutionContext, next: CallHandler<T>): Observable<Buffer> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      map((value) => {
        void reply.type(PROTOBUF);
        const bytes = this.type.encode(value).finish();
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }),
    );
  }
}
