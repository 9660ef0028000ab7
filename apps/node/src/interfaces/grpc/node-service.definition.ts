import type { ServiceDefinition } from '@grpc/grpc-js';
import { NodeServiceService } from '@rampart/node-client';
import type { NodeError } from '../../errors/node-error.js';
import { decodeBackend, decodeUsers, decodeUsersChunk } from '../../wire/raw-messages.js';
import { scanUser } from '../../wire/raw-user.js';
import { malformedMessageError } from '../messages/malformed-message.js';

export const SERVICE_NAME = 'service.NodeService';

interface RequestType {
  /** Name of the message, for error messages. */
  readonly message: string;
  /** Decodes the message in place of the generated code, leaving its users as bytes. */
  readonly decode?: (bytes: Uint8Array) => unknown;
}

const EMPTY: RequestType = { message: 'Empty' };
const STAT: RequestType = { message: 'StatRequest' };

/** The request type of each method. */
const REQUESTS: Readonly<Record<string, RequestType>> = {
  Start: { message: 'Backend', decode: decodeBackend },
  Stop: EMPTY,
  GetBaseInfo: EMPTY,
  GetLogs: EMPTY,
  GetSystemStats: EMPTY,
  GetBackendStats: EMPTY,
  GetStats: STAT,
  GetOutboundsLatency: { message: 'LatencyRequest' },
  GetUserOnlineStats: STAT,
  GetUserOnlineIpListStats: STAT,
  GetOnlineUsers: EMPTY,
  SyncUser: { message: 'User', decode: scanUser },
  SyncUsers: { message: 'Users', decode: decodeUsers },
  SyncUsersChunked: { message: 'UsersChunk', decode: decodeUsersChunk },
  CollectTraffic: { message: 'CollectTrafficRequest' },
  RequestCertificate: EMPTY,
  Probe: { message: 'ProbeRequest' },
  InstallCertificate: { message: 'IssuedCertificate' },
};

/** Replaces a message that could not be decoded; grpc-js itself would answer INTERNAL. */
export class MalformedMessage {
  readonly error: NodeError;

  constructor(message: string, cause: unknown) {
    this.error = malformedMessageError(message, cause);
  }
}

/** The service definition as Nest looks it up: by the method names of the .proto, where ts-proto has camelCase keys. */
export const nodeServiceDefinition: ServiceDefinition = Object.fromEntries(
  Object.entries<ServiceDefinition[string]>(NodeServiceService).map(([key, method]) => {
    const name = method.path.slice(method.path.lastIndexOf('/') + 1);
    const { message, decode = method.requestDeserialize } = REQUESTS[name] ?? { message: name };
    const { responseSerialize } = method;
    const encoded = {
      requestDeserialize: decodeOrMalformed(message, decode),
      // Long answers are passed as bytes.
      responseSerialize: (value: unknown): Buffer => (Buffer.isBuffer(value) ? value : responseSerialize(value)),
    };
    return [name, { ...method, ...encoded, originalName: key }];
  }),
);

function decodeOrMalformed(message: string, decode: (bytes: Buffer) => unknown): (bytes: Buffer) => unknown {
  return (bytes) => {
    try {
      return decode(bytes);
    } catch (cause) {
      return new MalformedMessage(message, cause);
    }
  };
}
