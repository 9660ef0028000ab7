import { ConnectionLimiter, LOOPBACK_NETWORKS, socketLimit } from '@rampart/program';
import type { NodeEnv } from '../../env/node-env.js';

const HANDSHAKE_MS = 10_000;
/**
 * Maximum number of bytes that a connection may send without the key; the handshake, headers and first frames of any
 * client take less.
 */
const MAX_UNAUTHENTICATED_BYTES = 256 * 1024;
/** That of management takes 4 KiB. */
const MAX_HANDSHAKE_BYTES = 24 * 1024;

/** Limits the connections to the port, and the time in which they must show the key. */
export function createConnectionLimiter(env: NodeEnv, warn: (line: string) => void): ConnectionLimiter {
  const { sockets, note } = socketLimit(env.maxSockets, 'RAMPART_NODE_MAX_SOCKETS');
  if (note !== undefined) warn(note);
  return new ConnectionLimiter({
    maxSockets: sockets,
    maxUnauthenticated: env.maxKeylessSockets,
    maxPerAddress: env.maxKeylessPerAddress,
    // Connections through a proxy or the engine of this machine share its address.
    exempt: LOOPBACK_NETWORKS,
    handshakeMs: Math.min(HANDSHAKE_MS, env.keySeconds * 1000),
    authenticationMs: env.keySeconds * 1000,
    unauthenticatedBytes: MAX_UNAUTHENTICATED_BYTES,
    handshakeBytes: MAX_HANDSHAKE_BYTES,
    warn,
    advice: {
      sockets: 'See who is connected, or raise RAMPART_NODE_MAX_SOCKETS.',
      unknown:
        'Let a firewall allow only management to this port, or raise RAMPART_NODE_MAX_KEYLESS if all of them are wanted.',
      perAddress:
        'None of them has shown the key: block that address if management is not there, or raise RAMPART_NODE_MAX_PER_ADDRESS.',
    },
  });
}
