import type net from 'node:net';
import type { ConnectionOwner } from './connection-shares.js';

/** How long a network is refused, in ms: verifying the longest chain of certificates takes half a second. */
const REFUSED_MS = 60_000;
/** Handshakes of one network at a time, since all may cost that much before the first one is found out. */
const AT_ONCE = 16;
const MOST_REFUSED = 10_000;
const MOST_KNOWN = 1_000;

interface Handshake extends ConnectionOwner {
  readonly socket: net.Socket;
}

/**
 * Refuses networks from which a TLS handshake failed that was longer than that of an honest peer. OpenSSL takes 100 KiB of
 * certificates, and verifies all of them before the program may look at them. Addresses that have authenticated are not refused.
 */
export class HandshakeLimit<T extends Handshake> {
  private readonly going = new Map<string, Set<T>>();
  private readonly refused = new Map<string, number>();
  private readonly known = new Set<string>();

  /** @param maxBytes of an honest peer's handshake; what it sends behind a complete one may arrive together with that */
  constructor(private readonly maxBytes: number) {}

  admits({ network, address }: ConnectionOwner): boolean {
    if (this.known.has(address)) return true;
    const until = this.refused.get(network);
    return until === undefined || performance.now() >= until;
  }

  /** @returns the oldest handshake of the network, where it has to give way to this one */
  begin(handshake: T): T | undefined {
    const ofNetwork = this.going.get(handshake.network) ?? new Set();
    this.going.set(handshake.network, ofNetwork.add(handshake));
    return ofNetwork.size > AT_ONCE ? [...ofNetwork].find(({ address }) => !this.known.has(address)) : undefined;
  }

  complete(handshake: T): void {
    this.delete(handshake);
  }

  /**
   * A handshake has failed, unless it was completed before.
   * @returns what else of its network has to be closed; undefined where it was not too long
   */
  fail(handshake: T): readonly T[] | undefined {
    const { network, address, socket } = handshake;
    if (!this.delete(handshake) || socket.bytesRead <= this.maxBytes || this.known.has(address)) return undefined;
    forgetOldest(this.refused, MOST_REFUSED);
    this.refused.set(network, performance.now() + REFUSED_MS);
    return [...(this.going.get(network) ?? [])].filter((other) => !this.known.has(other.address));
  }

  /** An address from which somebody has authenticated. */
  know(address: string): void {
    if (this.known.has(address)) return;
    forgetOldest(this.known, MOST_KNOWN);
    this.known.add(address);
  }

  private delete(handshake: T): boolean {
    const ofNetwork = this.going.get(handshake.network);
    const isGoing = ofNetwork?.delete(handshake) ?? false;
    if (ofNetwork?.size === 0) this.going.delete(handshake.network);
    return isGoing;
  }
}

function forgetOldest(all: Pick<Map<string, unknown>, 'size' | 'delete'> & { keys(): Iterator<string> }, most: number) {
  const oldest = all.size >= most ? all.keys().next().value : undefined;
  if (oldest !== undefined) all.delete(oldest);
}
