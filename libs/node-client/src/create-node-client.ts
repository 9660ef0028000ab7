import { apiKeyProblem } from './api-key.js';
import { GrpcNodeClient } from './grpc-client.js';
import type { NodeClient, NodeClientOptions } from './node-client.js';
import { NodeClientError } from './node-client-error.js';
import { RestNodeClient } from './rest-client.js';
import { addressOf, trustProblem } from './secure-connection.js';

/**
 * A client of one node. Nothing is connected before the first call, and a lost connection is made again by the next one.
 * @throws NodeClientError `INVALID_ARGUMENT`, naming the option that cannot work
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  const problem = optionProblem(options);
  if (problem !== undefined) throw new NodeClientError('INVALID_ARGUMENT', problem);
  return options.transport === 'grpc' ? new GrpcNodeClient(options) : new RestNodeClient(options);
}

function optionProblem({ transport, host, port, apiKey, tls }: NodeClientOptions): string | undefined {
  if (transport !== 'grpc' && transport !== 'rest') return 'transport must be grpc or rest';
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'port must be an integer from 1 to 65535';
  if (!/^[a-z0-9._:-]+$/i.test(host) || !URL.canParse(`https://${addressOf({ host, port })}`)) {
    return 'host must be a name or an address, without brackets or port';
  }
  const key = apiKeyProblem(apiKey);
  return key === undefined ? trustProblem(tls) : `apiKey ${key}`;
}
