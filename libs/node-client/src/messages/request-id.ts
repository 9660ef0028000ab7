import { NodeClientError } from '../errors/node-client-error.js';

/** The name of the REST header and gRPC metadata that holds the id of the request for which a call is made. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** Whether a text can be a request id: 1 to 128 letters, digits, `.`, `_`, `:` or `-`. */
export const isRequestId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text);

/**
 * The header with the request id of a call; none without an id.
 *
 * @throws NodeClientError `INVALID_ARGUMENT` for a text that is no request id.
 */
export function requestIdHeader(requestId: (() => string | undefined) | undefined): Record<string, string> {
  const id = requestId?.();
  if (id === undefined) return {};
  if (isRequestId(id)) return { [REQUEST_ID_HEADER]: id };
  throw new NodeClientError('INVALID_ARGUMENT', 'requestId must return 1 to 128 letters, digits, ".", "_", ":" or "-"');
}
