import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { ERROR_CODE_HEADER } from '@rampart/node-client';
import type { NodeError } from '../../errors/node-error.js';

/** The message is sent in a trailer, whose size clients limit. */
const MAX_DETAILS_LENGTH = 4000;

/** An error as a gRPC status: code, message, and the stable error code as a trailer. */
export function grpcStatusOf(error: NodeError): StatusObject {
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_HEADER, error.code);
  return { code: error.grpcStatus, details: sanitizeDetails(error.message), metadata };
}

/** grpc-js encodes the message with encodeURI, which throws for unpaired surrogates; nothing catches that. */
function sanitizeDetails(text: string): string {
  const cut = text.length > MAX_DETAILS_LENGTH ? `${text.slice(0, MAX_DETAILS_LENGTH)}…` : text;
  return cut.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
