import type { ServiceDefinition } from '@grpc/grpc-js';
import { NodeServiceService } from '@rampart/node-client';
import type { NodeError } from '../../errors/node-error.js';
import { malformed } from '../malformed.js';

export const SERVICE_NAME = 'service.NodeService';

/** The message that each served method takes, for the error about a broken one. */
const REQUESTS: Readonly<Record<string, string>> = {
  Start: 'Backend',
  Stop: 'Empty',
  GetBaseInfo: 'Empty',
  GetLogs: 'Empty',
  GetStats: 'StatRequest',
  SyncUser: 'User',
  SyncUsers: 'Users',
  CollectTraffic: 'CollectTrafficRequest',
};

/** Stands for a message that could not be read; grpc-js itself would answer INTERNAL. */
export class Malformed {
  readonly error: NodeError;

  constructor(message: string, cause: unknown) {
    this.error = malformed(message, cause);
  }
}

/** The contract as Nest looks it up: by method name as in the .proto, where ts-proto has camelCase keys. */
export const nodeServiceDefinition: ServiceDefinition = Object.fromEntries(
  Object.entries<ServiceDefinition[string]>(NodeServiceService).map(([key, method]) => {
    const name = method.path.slice(method.path.lastIndexOf('/') + 1);
    return [name, { ...method, originalName: key, requestDeserialize: tolerant(REQUESTS[name] ?? name, method) }];
  }),
);

function tolerant(message: string, { requestDeserialize }: ServiceDefinition[string]): (bytes: Buffer) => unknown {
  return (bytes) => {
    try {
      return requestDeserialize(bytes);
    } catch (cause) {
      return new Malformed(message, cause);
    }
  };
}
