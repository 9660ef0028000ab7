import { isIP } from 'node:net';
import { DEFAULT_TIMEOUT_MS, type NodeClient, type NodeClientOptions } from '../api/node-client.js';
import { apiKeyProblem } from '../connection/api-key.js';
import { addressOf, trustProblem } from '../connection/secure-connection.js';
import { NodeClientError } from '../errors/node-client-error.js';
import { GrpcTransport } from '../grpc/grpc-transport.js';
import { RestTransport } from '../rest/rest-transport.js';
import type { NodeTransport } from '../transport/node-transport.js';
import { AutoTransport } from './auto-transport.js';
import { timeoutProblem } from './call-scopes.js';
import { TransportClient } from './transport-client.js';

const TRANSPORTS: readonly string[] = ['grpc', 'rest', 'auto'] satisfies NodeClientOptions['transport'][];

/**
 * Creates a client for one node. The first call connects, and the next call after a lost connection connects again.
 *
 * @throws NodeClientError `INVALID_ARGUMENT`, which names the invalid option.
 */
export function createNodeClient(options: NodeClientOptions): NodeClient {
  const problem = optionProblem(options);
  if (problem !== undefined) throw new NodeClientError('INVALID_ARGUMENT', problem);
  return new TransportClient(transportOf(options), options.timeoutMs);
}

function transportOf(options: NodeClientOptions): NodeTransport {
  if (options.transport === 'auto') return new AutoTransport(options, options.timeoutMs);
  return options.transport === 'grpc' ? new GrpcTransport(options) : new RestTransport(options);
}

function optionProblem({
  transport,
  host,
  address,
  port,
  apiKey,
  tls,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: NodeClientOptions): string | undefined {
  if (!TRANSPORTS.includes(transport)) return 'transport must be grpc, rest or auto';
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'port must be an integer from 1 to 65535';
  if (!/^[a-z0-9._:-]+$/i.test(host) || !URL.canParse(`https://${addressOf({ host, port })}`)) {
    return 'host must be a name or an address, without brackets or port';
  }
  if (address !== undefined && isIP(address) === 0) return 'address must be an IP address';
  const key = apiKeyProblem(apiKey);
  return key === undefined ? (trustProblem(tls) ?? timeoutProblem(timeoutMs)) : `apiKey ${key}`;
}
