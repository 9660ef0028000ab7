import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { ERROR_CODE_HEADER } from '@rampart/node-client';
import type { NodeError } from '../../errors/node-error.js';

/** The text travels in a trailer, of which clients take only so much. */
const MAX_DETAILS_LENGTH = 4000;

/** How an error leaves by gRPC: its status, its text, and its stable code as a trailer. */
export function grpcStatusOf(error: NodeError): StatusObject {
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_HEADER, error.code);
  return { code: error.grpcStatus, details: sanitizeDetails(error.message), metadata };
}

/** grpc-js writes it with encodeURI, which throws at half a surrogate pair; nobody would catch that. */
function sanitizeDetails(text: string): string {
  const cut = text.length > MAX_DETAILS_LENGTH ? `${text.slice(0, MAX_DETAILS_LENGTH)}…` : text;
  return cut.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}
