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
import { mergeMap, type Observable } from 'rxjs';
import { NodeError } from '../../errors/node-error.js';
import { encodeYielding } from '../messages/encode-yielding.js';
import { malformedMessageError } from '../messages/malformed-message.js';

export const PROTOBUF = 'application/x-protobuf';

/** Decodes bytes to a message. */
interface Decoder<T> {
  decode(bytes: Uint8Array): T;
}

/** Parameter of a handler: the request body as a message; no body is the empty message. */
export const MessageBody = <T>(name: string, type: Decoder<T>): ParameterDecorator => Body(new MessagePipe(name, type));

/** As MessageBody, for calls that change users: a missing body is refused. */
export const RequiredMessageBody = <T>(name: string, type: Decoder<T>): ParameterDecorator =>
  Body(new MessagePipe(name, type, true));

/** Encodes the handler's result as this message, undefined as the empty one; the status is 200 for every method. */
export const RespondsWith = <T extends object>(type: MessageFns<T>): MethodDecorator =>
  applyDecorators(HttpCode(200), UseInterceptors(new MessageInterceptor(type)));

class MessagePipe<T> implements PipeTransform<Buffer | null | undefined, T> {
  constructor(
    private readonly name: string,
    private readonly type: Decoder<T>,
    private readonly required = false,
  ) {}

  transform(body: Buffer | null | undefined): T {
    if (this.required && !body) {
      const text = `the body is missing: send a ${this.name} message, or content-length: 0 for the empty one`;
      throw new NodeError('INVALID_ARGUMENT', text);
    }
    try {
      return this.type.decode(body ?? new Uint8Array());
    } catch (cause) {
      throw malformedMessageError(this.name, cause);
    }
  }
}

class MessageInterceptor<T extends object> implements NestInterceptor<T | undefined, Buffer> {
  constructor(private readonly type: MessageFns<T>) {}

  intercept(context: ExecutionContext, next: CallHandler<T | undefined>): Observable<Buffer> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return next.handle().pipe(
      mergeMap((value) => {
        void reply.type(PROTOBUF);
        return encodeYielding(this.type, value ?? this.type.create());
      }),
    );
  }
}
