/** The stable codes that a node of ours answers with, in REST bodies and in the gRPC trailer {@link ERROR_CODE_HEADER}. */
export const NODE_SERVER_ERROR_CODES = [
  'UNAUTHENTICATED',
  'INVALID_ARGUMENT',
  'CONFIG_REFUSED',
  'USERS_REFUSED',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'STALE_REVISION',
  'TOO_LARGE',
  'TOO_MANY_READERS',
  'BACKEND_NOT_INITIALIZED',
  'INTERNAL',
  'BACKEND_NOT_RUNNING',
  'ENGINE_NOT_ANSWERING',
  'START_FAILED',
  'SHUTTING_DOWN',
] as const;

/** A stable code of {@link NODE_SERVER_ERROR_CODES}. */
export type NodeServerErrorCode = (typeof NODE_SERVER_ERROR_CODES)[number];

/**
 * What can go wrong in a call: the node's own code, or one of the way to it. `UNREACHABLE`: no connection, or it broke.
 * `TIMEOUT`: no answer in time (the node may still do what it was asked). `CANCELLED`: by the caller, or by `close()`.
 * `TLS_UNTRUSTED`: the peer is not the node we know; nothing was sent to it. `PROTOCOL`: the peer is no node.
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
  'TOO_MANY_READERS',
  'BACKEND_NOT_RUNNING',
  'ENGINE_NOT_ANSWERING',
  'START_FAILED',
  'SHUTTING_DOWN',
]);

/** Texts of nodes that send no stable code. */
const CODE_OF_TEXT: readonly (readonly [text: string, code: NodeServerErrorCode])[] = [
  ['backend not initialized', 'BACKEND_NOT_INITIALIZED'],
  ['core is not started yet', 'BACKEND_NOT_RUNNING'],
  ['failed to get sys stats', 'ENGINE_NOT_ANSWERING'],
];

/** The one error of every NodeClient call. `message` is the node's own text where it answered. */
export class NodeClientError extends Error {
  override readonly name = 'NodeClientError';
  /** The status of the REST answer, if there was one. */
  readonly httpStatus: number | undefined;
  /** The numeric gRPC status, over gRPC. */
  readonly grpcCode: number | undefined;

  constructor(
    readonly code: NodeClientErrorCode,
    message: string,
    details: { httpStatus?: number | undefined; grpcCode?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.httpStatus = details.httpStatus;
    this.grpcCode = details.grpcCode;
  }

  /** Whether the same call may succeed later without anything being changed by the caller. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}

/** The code of an answer: the stable one if the node sent it, else by its text, else what the transport's status says. */
export function serverErrorCode(
  sent: string | undefined,
  text: string,
  byStatus: NodeClientErrorCode,
): NodeClientErrorCode {
  const known = NODE_SERVER_ERROR_CODES.find((code) => code === sent);
  return known ?? CODE_OF_TEXT.find(([part]) => text.includes(part))?.[1] ?? byStatus;
}
