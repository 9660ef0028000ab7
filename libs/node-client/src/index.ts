export { API_KEY_SCHEMA, apiKeyProblem } from './api-key.js';
export { createNodeClient } from './create-node-client.js';
export { bytesField, fieldText, stringField, utf8Text, varintField } from './field-text.js';
export { fingerprintOf } from './fingerprint.js';
export * from './gen/service.js';
export {
  type CallOptions,
  type ChunkOptions,
  type ClientCertificate,
  type LogOptions,
  MAX_MESSAGE_BYTES,
  type NodeClient,
  type NodeClientOptions,
  type NodeTrust,
} from './node-client.js';
export {
  ERROR_CODE_HEADER,
  NODE_SERVER_ERROR_CODES,
  NodeClientError,
  type NodeClientErrorCode,
  type NodeServerErrorCode,
} from './node-client-error.js';
export { LAST_EVENT_ID } from './node-transport.js';
export type { GivenUsers } from './user-source.js';
export { UsersDigest, userDigest } from './users-digest.js';
