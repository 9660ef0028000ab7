import type net from 'node:net';
import { rateLimitedLog } from '../log/rate-limited-log.js';
import { networkMatcher, peerNetworkOf } from './address-network.js';

/** Longest pause between two checks of the time and byte limits; it is shorter where a limit is shorter. */
const SWEEP_MS = 500;
/** Share of `maxSockets` from which on idle connections are closed. */
const IDLE_CLOSE_SHARE = 0.9;
/** Shortest pause between two calls of `closeIdle`. */
const IDLE_CLOSE_INTERVAL_MS = 1_000;

/** The limits of one server. Without an optional limit there is none. */
export interface ConnectionLimiterOptions {
  /** Maximum number of open sockets. */
  readonly maxSockets: number;
  /** Maximum number of open sockets of peers that have not authenticated. Default: `maxSockets`. */
  readonly maxUnauthenticated?: number;
  /** Maximum number of open sockets of peers that have not authenticated, per IPv4 address or IPv6 /64. */
  readonly maxPerAddress: number;
  /** Addresses and networks to which `maxPerAddress` does not apply. */
  readonly exempt?: readonly string[];
  /** Time within which a TLS handshake must be complete, in ms. */
  readonly handshakeMs?: number;
  /** Time within which a peer must have authenticated, in ms. */
  readonly authenticationMs?: number;
  /** Maximum number of bytes that a peer may send before it has authenticated, counted below TLS. */
  readonly unauthenticatedBytes?: number;
  /** Closes idle connections when most sockets are in use. Without it the oldest unauthenticated one is closed. */
  readonly closeIdle?: () => void;
  /** Receives the lines for the operator; each kind comes at most once a minute. */
  readonly warn: (line: string) => void;
  /** What the operator can do when a limit is reached: one sentence per limit, appended to the warning. */
  readonly advice: { readonly sockets: string; readonly unknown?: string; readonly perAddress: string };
}

/** Identifies a connection by its two ends: a TLS socket and the TCP socket below it are the same peer. */
export type Peer = Pick<net.Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

interface Entry {
  readonly name: string;
  readonly socket: net.Socket;
  /** The network that `maxPerAddress` counts by; undefined for an exempt address. */
  readonly network: string | undefined;
  /** When the connection was accepted, in ms of `performance.now()`. */
  readonly since: number;
  /** Whether the TLS handshake is complete. */
  secure: boolean;
}

/** Limits the number of open sockets of a server, and closes connections whose peer does not authenticate in time. */
export class ConnectionLimiter {
  /** All open connections by the name of their peer, oldest first. */
  private readonly open = new Map<string, Entry>();
  private readonly unauthenticated = new Set<Entry>();
  private readonly unauthenticatedPerNetwork = new Map<string, number>();
  private readonly isExempt: (address: string) => boolean;
  private readonly warn: Readonly<Record<'sockets' | 'unknown' | 'perAddress', (line: string) => void>>;
  private sweepTimer: NodeJS.Timeout | undefined;
  private idleClosedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ConnectionLimiterOptions) {
    const { exempt = [], warn } = options;
    this.isExempt = networkMatcher(exempt);
    this.warn = { sockets: rateLimitedLog(warn), unknown: rateLimitedLog(warn), perAddress: rateLimitedLog(warn) };
  }

  /** Applies the limits to a TCP or TLS server. One limiter may be attached to several servers. */
  attachTo(server: net.Server): void {
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: net.Socket) => {
      if (this.admit(socket)) for (const listener of listeners) listener.call(server, socket);
    });
    server.prependListener('secureConnection', (socket: net.Socket) => this.markSecure(socket));
  }

  /** Marks a peer as authenticated: from now on only `maxSockets` counts its socket, and no time limit applies. */
  markAuthenticated(peer: Peer): void {
    const entry = this.open.get(peerName(peer));
    if (entry !== undefined) this.forgetUnauthenticated(entry);
  }

  /** Closes every open connection. */
  closeAll(): void {
    for (const { socket } of this.open.values()) socket.destroy();
  }

  private admit(socket: net.Socket): boolean {
    const { remoteAddress } = socket;
    // The remote address is undefined when the peer has already disconnected.
    if (remoteAddress === undefined) return refuse(socket);
    const network = this.isExempt(remoteAddress) ? undefined : peerNetworkOf(remoteAddress);
    if (!this.hasRoom(network)) return refuse(socket);
    const entry: Entry = { name: peerName(socket), socket, network, since: performance.now(), secure: false };
    this.open.set(entry.name, entry);
    this.unauthenticated.add(entry);
    if (network !== undefined)
      this.unauthenticatedPerNetwork.set(network, (this.unauthenticatedPerNetwork.get(network) ?? 0) + 1);
    socket.once('close', () => this.forget(entry));
    this.sweepWhileOpen();
    return true;
  }

  private hasRoom(network: string | undefined): boolean {
    const { maxSockets, maxUnauthenticated = maxSockets, maxPerAddress, closeIdle, advice } = this.options;
    if (network !== undefined && (this.unauthenticatedPerNetwork.get(network) ?? 0) >= maxPerAddress) {
      this.warn.perAddress(
        `${network} has ${maxPerAddress} connections open: further ones are closed. ${advice.perAddress}`,
      );
      return false;
    }
    if (closeIdle !== undefined && this.open.size >= maxSockets * IDLE_CLOSE_SHARE)
      this.closeIdleConnections(closeIdle);
    if (this.open.size >= maxSockets) {
      this.warn.sockets(`All ${maxSockets} sockets are in use: connections are closed. ${advice.sockets}`);
      return closeIdle === undefined && this.closeOldestUnauthenticated();
    }
    if (closeIdle !== undefined || this.unauthenticated.size < maxUnauthenticated) return true;
    this.warn.unknown(
      `${maxUnauthenticated} connections have not shown who they are: the oldest is closed for each new one. ${advice.unknown ?? ''}`,
    );
    return this.closeOldestUnauthenticated();
  }

  private closeIdleConnections(closeIdle: () => void): void {
    if (performance.now() - this.idleClosedAt < IDLE_CLOSE_INTERVAL_MS) return;
    this.idleClosedAt = performance.now();
    closeIdle();
  }

  private closeOldestUnauthenticated(): boolean {
    const [oldest] = this.unauthenticated;
    if (oldest === undefined) return false;
    this.close(oldest);
    return true;
  }

  private markSecure(peer: Peer): void {
    const entry = this.open.get(peerName(peer));
    if (entry !== undefined) entry.secure = true;
  }

  private close(entry: Entry): void {
    this.forget(entry);
    entry.socket.destroy();
  }

  private forget(entry: Entry): void {
    // A new connection from the same address and port may have replaced this one.
    if (this.open.get(entry.name) === entry) this.open.delete(entry.name);
    this.forgetUnauthenticated(entry);
    if (this.open.size > 0) return;
    clearInterval(this.sweepTimer);
    this.sweepTimer = undefined;
  }

  private forgetUnauthenticated(entry: Entry): void {
    const { network } = entry;
    if (!this.unauthenticated.delete(entry) || network === undefined) return;
    const left = (this.unauthenticatedPerNetwork.get(network) ?? 0) - 1;
    if (left > 0) this.unauthenticatedPerNetwork.set(network, left);
    else this.unauthenticatedPerNetwork.delete(network);
  }

  private sweepWhileOpen(): void {
    const { handshakeMs = Number.POSITIVE_INFINITY, authenticationMs = Number.POSITIVE_INFINITY } = this.options;
    const shortest = Math.min(handshakeMs, authenticationMs);
    if (this.sweepTimer !== undefined || shortest === Number.POSITIVE_INFINITY) return;
    this.sweepTimer = setInterval(
      () => this.sweep(handshakeMs, authenticationMs),
      Math.min(SWEEP_MS, shortest / 4),
    ).unref();
  }

  private sweep(handshakeMs: number, authenticationMs: number): void {
    const { unauthenticatedBytes = Number.POSITIVE_INFINITY } = this.options;
    const now = performance.now();
    for (const entry of this.unauthenticated) {
      const age = now - entry.since;
      const late = age >= authenticationMs || (!entry.secure && age >= handshakeMs);
      if (late || entry.socket.bytesRead > unauthenticatedBytes) this.close(entry);
    }
  }
}

function refuse(socket: net.Socket): false {
  socket.destroy();
  return false;
}

const peerName = ({ remoteAddress, remotePort, localAddress }: Peer): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
