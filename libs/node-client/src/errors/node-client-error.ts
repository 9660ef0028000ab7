import type { RefusedUser } from '../gen/service.js';

/** The stable error codes of Rampart nodes, in REST bodies and in the gRPC trailer {@link ERROR_CODE_HEADER}. */
export const NODE_SERVER_ERROR_CODES = [
  'UNAUTHENTICATED',
  'INVALID_ARGUMENT',
  'CONFIG_REFUSED',
  'USERS_REFUSED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'STALE_REVISION',
  'INTERRUPTED',
  'NOT_ENROLLED',
  'TOO_LARGE',
  'TOO_MANY_PROBES',
  'TOO_MANY_READERS',
  'BACKEND_NOT_INITIALIZED',
  'LATENCY_UNAVAILABLE',
  'INTERNAL',
  'BACKEND_NOT_RUNNING',
  'ENGINE_NOT_ANSWERING',
  'START_FAILED',
  'STORAGE_FAILED',
  'SHUTTING_DOWN',
] as const;

/** A stable code of {@link NODE_SERVER_ERROR_CODES}. */
export type NodeServerErrorCode = (typeof NODE_SERVER_ERROR_CODES)[number];

/**
 * Why a call has failed: a code of the node, or one of the connection. `UNREACHABLE`: there is no connection, or it broke.
 * `TIMEOUT`: there was no answer in time (the node may still execute the call). `CANCELLED`: by the caller, or by `close()`.
 * `TLS_UNTRUSTED`: the peer has not the expected certificate; nothing was sent to it. `PROTOCOL`: the peer is not a node.
 */
export type NodeClientErrorCode =
  | NodeServerErrorCode
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'CANCELLED'
  | 'TLS_UNTRUSTED'
  | 'PROTOCOL';

/** The gRPC trailer that carries the node's stable error code. */
export const ERROR_CODE_HEADER = 'x-error-code';

const RETRYABLE: ReadonlySet<string> = new Set<NodeClientErrorCode>([
  'UNREACHABLE',
  'TIMEOUT',
  'TOO_MANY_PROBES',
  'TOO_MANY_READERS',
  'BACKEND_NOT_RUNNING',
  'ENGINE_NOT_ANSWERING',
  'START_FAILED',
  'STORAGE_FAILED',
  'SHUTTING_DOWN',
]);

/** Codes by the texts of nodes that send no stable code and no precise status. */
const CODE_OF_TEXT: readonly (readonly [text: string, code: NodeServerErrorCode])[] = [
  ['backend not initialized', 'BACKEND_NOT_INITIALIZED'],
  ['core is not started yet', 'BACKEND_NOT_RUNNING'],
  ['failed to get sys stats', 'ENGINE_NOT_ANSWERING'],
  ['invalid api key format', 'UNAUTHENTICATED'],
  ['email is required', 'INVALID_ARGUMENT'],
  ['email required', 'INVALID_ARGUMENT'],
  ['tag required', 'INVALID_ARGUMENT'],
  ['not implemented stat type', 'INVALID_ARGUMENT'],
  ['outbound latency is not available', 'LATENCY_UNAVAILABLE'],
  ['received message larger than max', 'TOO_LARGE'],
];

export interface NodeClientErrorDetails {
  readonly httpStatus?: number | undefined;
  readonly grpcCode?: number | undefined;
  readonly refused?: readonly RefusedUser[];
  readonly cause?: unknown;
}

/** Marks errors of every copy of this package: a program may load one by `import` and one by `require`. */
const BRAND = Symbol.for('@rampart/node-client/NodeClientError');

/** The error of every call of a NodeClient. When the node has answered, `message` is its text. */
export class NodeClientError extends Error {
  override readonly name = 'NodeClientError';
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }
  /** The HTTP status of the REST response, if there was one. */
  readonly httpStatus: number | undefined;
  /** The numeric gRPC status, if the call went over gRPC. */
  readonly grpcCode: number | undefined;

  /**
   * The users of the call that a `USERS_REFUSED` is about, with the reasons. The list is empty when the node could not be asked for them.
   */
  readonly refused: readonly RefusedUser[];

  constructor(
    readonly code: NodeClientErrorCode,
    message: string,
    details: NodeClientErrorDetails = {},
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    Object.defineProperty(this, BRAND, { value: true });
    this.httpStatus = details.httpStatus;
    this.grpcCode = details.grpcCode;
    this.refused = details.refused ?? [];
  }

  /** The same error with the users that were refused. */
  withRefused(refused: readonly RefusedUser[]): NodeClientError {
    return new NodeClientError(this.code, this.message, { ...this, refused, cause: this.cause });
  }

  /** Whether the same call may succeed later without a change by the caller. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** The code of a failed call: the stable code if the node has sent one, else by its text, else by the status. */
export function serverErrorCode(
  sent: string | undefined,
  text: string,
  byStatus: NodeClientErrorCode,
): NodeClientErrorCode {
  const known = NODE_SERVER_ERROR_CODES.find((code) => code === sent);
  return known ?? CODE_OF_TEXT.find(([part]) => text.includes(part))?.[1] ?? byStatus;
}
