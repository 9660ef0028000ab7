import { status as grpc } from '@grpc/grpc-js';

/**
 * Every error that the node answers with: its stable code, its HTTP status and its gRPC status. Texts of other
 * implementations on which clients match (`backend not initialized`, …) keep their wording.
 */
export const NODE_ERRORS = {
  UNAUTHENTICATED: { http: 401, grpc: grpc.UNAUTHENTICATED },
  INVALID_ARGUMENT: { http: 400, grpc: grpc.INVALID_ARGUMENT },
  /** The engine's own check, or ours, refuses the configuration. */
  CONFIG_REFUSED: { http: 400, grpc: grpc.INVALID_ARGUMENT },
  /** Some users of the call were refused by name; all others are applied. */
  USERS_REFUSED: { http: 400, grpc: grpc.INVALID_ARGUMENT },
  NOT_FOUND: { http: 404, grpc: grpc.UNIMPLEMENTED },
  METHOD_NOT_ALLOWED: { http: 405, grpc: grpc.UNIMPLEMENTED },
  /** The change is older than the last one applied. */
  STALE_REVISION: { http: 409, grpc: grpc.ABORTED },
  /** A Stop came while this was starting. */
  INTERRUPTED: { http: 409, grpc: grpc.ABORTED },
  TOO_LARGE: { http: 413, grpc: grpc.RESOURCE_EXHAUSTED },
  TOO_MANY_READERS: { http: 429, grpc: grpc.RESOURCE_EXHAUSTED },
  /** Before Start and after Stop. */
  BACKEND_NOT_INITIALIZED: { http: 500, grpc: grpc.UNAVAILABLE },
  /** The configuration measures no outbound. */
  LATENCY_UNAVAILABLE: { http: 500, grpc: grpc.UNKNOWN },
  INTERNAL: { http: 500, grpc: grpc.INTERNAL },
  /** There is a backend, but its engine is down at the moment. */
  BACKEND_NOT_RUNNING: { http: 503, grpc: grpc.UNAVAILABLE },
  ENGINE_NOT_ANSWERING: { http: 503, grpc: grpc.UNAVAILABLE },
  /** The machine is at fault: a port is taken, the engine is missing or does not come up. */
  START_FAILED: { http: 503, grpc: grpc.UNAVAILABLE },
  SHUTTING_DOWN: { http: 503, grpc: grpc.UNAVAILABLE },
} as const;

export type NodeErrorCode = keyof typeof NODE_ERRORS;

/** An error that may be shown to the caller as it is: its message holds no secret and no stack. */
export class NodeError extends Error {
  override readonly name = 'NodeError';

  constructor(
    readonly code: NodeErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** What any thrown value looks like from outside: our own errors as they are, all else as INTERNAL, with its cause kept. */
  static from(cause: unknown): NodeError {
    return cause instanceof NodeError ? cause : new NodeError('INTERNAL', 'internal error', { cause });
  }

  get httpStatus(): number {
    return NODE_ERRORS[this.code].http;
  }

  get grpcStatus(): grpc {
    return NODE_ERRORS[this.code].grpc;
  }
}
