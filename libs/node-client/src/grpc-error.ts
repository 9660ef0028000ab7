import { type ServiceError, status } from '@grpc/grpc-js';
import { ERROR_CODE_HEADER, NodeClientError, type NodeClientErrorCode, serverErrorCode } from './node-client-error.js';

const CODE_OF_STATUS: Partial<Record<status, NodeClientErrorCode>> = {
  [status.CANCELLED]: 'CANCELLED',
  [status.INVALID_ARGUMENT]: 'INVALID_ARGUMENT',
  [status.DEADLINE_EXCEEDED]: 'TIMEOUT',
  [status.PERMISSION_DENIED]: 'UNAUTHENTICATED',
  [status.RESOURCE_EXHAUSTED]: 'TOO_LARGE',
  [status.ABORTED]: 'STALE_REVISION',
  [status.UNIMPLEMENTED]: 'NOT_FOUND',
  [status.INTERNAL]: 'INTERNAL',
  [status.UNAVAILABLE]: 'UNREACHABLE',
  [status.UNAUTHENTICATED]: 'UNAUTHENTICATED',
};

/** What grpc-js wraps around the reason why it has no connection. */
const NO_CONNECTION = /^No connection established\. Last error: (?:Error: )?(.*?)\. Resolution note: .*$/s;

/** The error of a call that failed. Other nodes send no stable code. */
export function callError(error: ServiceError, address: string): NodeClientError {
  const [sent] = error.metadata.get(ERROR_CODE_HEADER);
  const code = serverErrorCode(sent?.toString(), error.details, CODE_OF_STATUS[error.code] ?? 'PROTOCOL');
  const message = error.details.replace(NO_CONNECTION, (_text, reason: string) => `cannot reach ${address}: ${reason}`);
  return new NodeClientError(code, message, { grpcCode: error.code, cause: error });
}
