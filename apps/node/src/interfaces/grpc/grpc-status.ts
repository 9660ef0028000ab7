import { Metadata, type StatusObject } from '@grpc/grpc-js';
import { ERROR_CODE_HEADER } from '@rampart/node-client';
import type { NodeError } from '../../errors/node-error.js';

/** How an error leaves by gRPC: its status, its text, and its stable code as a trailer. */
export function statusOf(error: NodeError): StatusObject {
  const metadata = new Metadata();
  metadata.set(ERROR_CODE_HEADER, error.code);
  return { code: error.grpcStatus, details: error.message, metadata };
}
