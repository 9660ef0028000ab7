import { lenient } from '../read/attempt.js';
import type { Inbound } from '../read/inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { isLocal } from '../read/listen.js';
import { readPorts } from '../read/ports.js';
import type { ReadCertificate } from './certificate.js';
import type { OfferedInbound, Protocol } from './offered-inbound.js';
import { readProtocolFields } from './protocol.js';
import { readSecurity } from './security.js';
import { readTransport } from './transport.js';

/**
 * Extracts what clients must know of an inbound.
 *
 * @param cursor stands at the inbound
 * @param inbound the same inbound as the engine reads it
 * @throws CoreConfigError for the first rule of the contract that it breaks
 */
export function offerInbound(
  cursor: JsonCursor,
  inbound: Inbound,
  protocol: Protocol,
  readCertificate: ReadCertificate | undefined,
): OfferedInbound {
  const { tag, listen } = inbound;
  const portCursor = cursor.get('port');
  // The engine ignores the port of a socket, so a value that is not a port, such as 0, counts as absent.
  const port = listen.isSocket ? lenient(() => readPorts(portCursor)) : readPorts(portCursor);
  const hasFallbacks = Array.isArray(cursor.get('settings').get('fallbacks').value);
  // The contract also excepts fallback destinations; without a port they can only be sockets.
  if (port === undefined && !hasFallbacks && !listen.isSocket) portCursor.fail(`${tag} inbound doesn't have port`);
  const stream = cursor.get('streamSettings');
  const fields = { ...readTransport(stream, tag), ...readSecurity(stream, tag, readCertificate) };
  const own = readProtocolFields(protocol, cursor.get('settings'), inbound);
  return { tag, isLocal: isLocal(listen), port, parent: undefined, ...fields, ...own };
}
