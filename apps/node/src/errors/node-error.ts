import { status as grpc } from '@grpc/grpc-js';

/**
 * Every error of the node: stable code, HTTP status and gRPC status. Messages of other implementations on which clients
 * match (`backend not initialized`, …) keep their wording.
 */
export const NODE_ERRORS = {
  UNAUTHENTICATED: { http: 401, grpc: grpc.UNAUTHENTICATED },
  INVALID_ARGUMENT: { http: 400, grpc: grpc.INVALID_ARGUMENT },
  /** The configuration is refused by the engine's check or by the node's own. */
  CONFIG_REFUSED: { http: 400, grpc: grpc.INVALID_ARGUMENT },
  /** Some users of the call were refused; the message names them. All others are applied. */
  USERS_REFUSED: { http: 400, grpc: grpc.INVALID_ARGUMENT },
  NOT_FOUND: { http: 404, grpc: grpc.UNIMPLEMENTED },
  METHOD_NOT_ALLOWED: { http: 405, grpc: grpc.UNIMPLEMENTED },
  /** The change is older than the last one applied. */
  STALE_REVISION: { http: 409, grpc: grpc.ABORTED },
  /** A Stop came during the start. */
  INTERRUPTED: { http: 409, grpc: grpc.ABORTED },
  /** The node has a certificate of its own, which management cannot renew. */
  NOT_ENROLLED: { http: 409, grpc: grpc.FAILED_PRECONDITION },
  TOO_LARGE: { http: 413, grpc: grpc.RESOURCE_EXHAUSTED },
  TOO_MANY_PROBES: { http: 429, grpc: grpc.RESOURCE_EXHAUSTED },
  TOO_MANY_READERS: { http: 429, grpc: grpc.RESOURCE_EXHAUSTED },
  /** Nothing was started yet, or it was stopped. */
  BACKEND_NOT_INITIALIZED: { http: 500, grpc: grpc.UNAVAILABLE },
  /** The configuration measures no outbound. */
  LATENCY_UNAVAILABLE: { http: 500, grpc: grpc.UNKNOWN },
  INTERNAL: { http: 500, grpc: grpc.INTERNAL },
  /** A configuration was started, but its engine is down at the moment. */
  BACKEND_NOT_RUNNING: { http: 503, grpc: grpc.UNAVAILABLE },
  ENGINE_NOT_ANSWERING: { http: 503, grpc: grpc.UNAVAILABLE },
  /** A problem of the machine: a port is in use, the engine is missing or does not come up. */
  START_FAILED: { http: 503, grpc: grpc.UNAVAILABLE },
  /** The disk does not take what must survive a restart. */
  STORAGE_FAILED: { http: 503, grpc: grpc.UNAVAILABLE },
  SHUTTING_DOWN: { http: 503, grpc: grpc.UNAVAILABLE },
} as const;

export type NodeErrorCode = keyof typeof NODE_ERRORS;

/** An error that may be shown to the caller: its message contains no secret and no stack. */
export class NodeError extends Error {
  override readonly name = 'NodeError';

  constructor(
    readonly code: NodeErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }

  /** Converts any thrown value: a NodeError stays as it is, everything else becomes INTERNAL with its cause. */
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
