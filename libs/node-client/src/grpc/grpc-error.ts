import { type ServiceError, status } from '@grpc/grpc-js';
import {
  ERROR_CODE_HEADER,
  NodeClientError,
  type NodeClientErrorCode,
  serverErrorCode,
} from '../errors/node-client-error.js';
import { TOO_MANY_INFORMATIONAL_ANSWERS } from '../transport/informational-answers.js';
import { FORBIDDEN_FRAMES } from './frame-filter.js';

const CODE_OF_STATUS: Partial<Record<status, NodeClientErrorCode>> = {
  [status.CANCELLED]: 'CANCELLED',
  [status.INVALID_ARGUMENT]: 'INVALID_ARGUMENT',
  [status.DEADLINE_EXCEEDED]: 'TIMEOUT',
  [status.NOT_FOUND]: 'NOT_FOUND',
  [status.PERMISSION_DENIED]: 'UNAUTHENTICATED',
  [status.RESOURCE_EXHAUSTED]: 'TOO_LARGE',
  [status.ABORTED]: 'STALE_REVISION',
  [status.UNIMPLEMENTED]: 'NOT_FOUND',
  [status.INTERNAL]: 'INTERNAL',
  [status.UNAVAILABLE]: 'UNREACHABLE',
  [status.UNAUTHENTICATED]: 'UNAUTHENTICATED',
};

/** The text in which grpc-js wraps the reason of a failed connection. */
const NO_CONNECTION = /^No connection established\. Last error: (?:Error: )?(.*?)\. Resolution note: .*$/s;

/** The text of grpc-js for a response that is not gRPC. 502 to 504 come from an intermediary that cannot reach the node. */
const HTTP_STATUS = /^Received HTTP status code (\d+)/;
const httpCode = (details: string): NodeClientErrorCode =>
  ['502', '503', '504'].includes(HTTP_STATUS.exec(details)?.[1] ?? '') ? 'UNREACHABLE' : 'PROTOCOL';

/**
 * The error of a failed call. Other nodes send no stable code. It never throws: grpc-js passes on plain errors
 * without a status or metadata where a server breaks the protocol.
 */
export function callError(error: ServiceError | Error, address: string): NodeClientError {
  const { code: grpcCode, details = error.message, metadata } = error as Partial<ServiceError>;
  const cause = { ...(grpcCode !== undefined && { grpcCode }), cause: error };
  const offence = [TOO_MANY_INFORMATIONAL_ANSWERS, FORBIDDEN_FRAMES].find((text) => details.endsWith(text));
  if (offence) return new NodeClientError('PROTOCOL', offence, cause);
  const [sent] = metadata?.get(ERROR_CODE_HEADER) ?? [];
  const byStatus = HTTP_STATUS.test(details) ? httpCode(details) : grpcCode && CODE_OF_STATUS[grpcCode];
  const code = serverErrorCode(sent?.toString(), details, byStatus || 'PROTOCOL');
  const message = details.replace(NO_CONNECTION, (_text, reason: string) => `cannot reach ${address}: ${reason}`);
  return new NodeClientError(code, message, cause);
}
