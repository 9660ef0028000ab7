export {
  type CallOptions,
  type ChunkOptions,
  type ClientCertificate,
  type CollectedTraffic,
  type EntryOptions,
  type LogOptions,
  MAX_MESSAGE_BYTES,
  type NodeClient,
  type NodeClientOptions,
  type NodeTrust,
  type StartInput,
} from './api/node-client.js';
export { createNodeClient } from './client/create-node-client.js';
export { API_KEY_SCHEMA, apiKeyProblem } from './connection/api-key.js';
export { fingerprintOf } from './connection/fingerprint.js';
export { hasIdentity, MANAGEMENT_IDENTITY, nodeIdentity, nodeIdentityOf } from './connection/identity.js';
export {
  ENROLMENT_VARIABLE,
  type Enrolment,
  type NodeLine,
  readEnrolment,
  readNodeLine,
  writeEnrolment,
  writeNodeLine,
} from './enrolment/enrolment.js';
export {
  ERROR_CODE_HEADER,
  NODE_SERVER_ERROR_CODES,
  NodeClientError,
  type NodeClientErrorCode,
  type NodeServerErrorCode,
} from './errors/node-client-error.js';
export * from './gen/service.js';
export { EncodedUsers } from './messages/encoded-users.js';
export { bytesField, lengthDelimitedField, stringField, utf8Text, varintField } from './messages/protobuf-text.js';
export { isRequestId, REQUEST_ID_HEADER } from './messages/request-id.js';
export type { UsersInput } from './messages/user-source.js';
export { DIGEST_BYTES, UsersDigest, userDigest } from './messages/users-digest.js';
export { LAST_EVENT_ID } from './transport/node-transport.js';
