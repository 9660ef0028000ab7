import type net from 'node:net';
import { rateLimitedLog } from '../log/rate-limited-log.js';
import { networkMatcher, peerNetworkOf, siteNetworkOf } from './address-network.js';
import { type ConnectionOwner, ConnectionShares } from './connection-shares.js';
import { HandshakeLimit } from './handshake-limit.js';

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
  /** Addresses and networks, as of proxies, to which `maxPerAddress` does not apply. Where peers do not authenticate, others give way to them. */
  readonly exempt?: readonly string[];
  /** Time within which a TLS handshake must be complete, in ms. */
  readonly handshakeMs?: number;
  /** Time within which a peer must have authenticated, in ms. */
  readonly authenticationMs?: number;
  /** Maximum number of bytes that a peer may send before it has authenticated, counted below TLS. */
  readonly unauthenticatedBytes?: number;
  /**
   * Maximum number of bytes of a TLS handshake that fails, for a port that verifies certificates of clients. Networks that
   * send more are refused for a minute, but for addresses that have authenticated.
   */
  readonly handshakeBytes?: number;
  /** Closes idle connections when most sockets are in use. Only for a server whose peers do not authenticate. */
  readonly closeIdle?: () => void;
  /** Receives the lines for the operator; each kind comes at most once a minute. */
  readonly warn: (line: string) => void;
  /** What the operator can do when a limit is reached: one sentence per limit, appended to the warning. */
  readonly advice: { readonly sockets: string; readonly unknown?: string; readonly perAddress: string };
}

/** Identifies a connection by its two ends: a TLS socket and the TCP socket below it are the same peer. */
export type Peer = Pick<net.Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

/** A request that an exempt peer makes for somebody else, over one of its connections. */
interface Served extends ConnectionOwner {
  readonly entry: Entry;
}

interface Entry extends ConnectionOwner {
  readonly name: string;
  readonly socket: net.Socket;
  /** When the connection was accepted, in ms of `performance.now()`. */
  readonly since: number;
  /** Whether the TLS handshake is complete. */
  secure: boolean;
}

/**
 * Limits the number of open sockets of a server, and closes connections whose peer does not authenticate in time. When all
 * are in use, a newcomer gets the place of the oldest unauthenticated connection of the network, and of its address, that has
 * the most, unless nobody has more than the newcomer.
 */
export class ConnectionLimiter {
  /** All open connections by the name of their peer, oldest first. */
  private readonly open = new Map<string, Entry>();
  private readonly unauthenticated = new Set<Entry>();
  /** Those that are closed for others: the unauthenticated ones, without the exempt ones of a server whose peers do not authenticate. */
  private readonly shares = new ConnectionShares<Entry>();
  /** Connections of exempt peers by whom these serve, as proxies do, while they do so. */
  private readonly served = new ConnectionShares<Served>();
  private readonly peersAuthenticate: boolean;
  private readonly isExempt: (address: string) => boolean;
  private readonly handshakes: HandshakeLimit<Entry> | undefined;
  private readonly warn: Readonly<Record<'sockets' | 'unknown' | 'perAddress' | 'handshake', (line: string) => void>>;
  private sweepTimer: NodeJS.Timeout | undefined;
  private idleClosedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ConnectionLimiterOptions) {
    const { exempt = [], handshakeBytes, warn } = options;
    this.isExempt = networkMatcher(exempt);
    this.peersAuthenticate = options.closeIdle === undefined;
    this.handshakes = handshakeBytes === undefined ? undefined : new HandshakeLimit(handshakeBytes);
    const limited = () => rateLimitedLog(warn);
    this.warn = { sockets: limited(), unknown: limited(), perAddress: limited(), handshake: limited() };
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
    if (entry === undefined) return;
    this.handshakes?.know(entry.address);
    this.forgetUnauthenticated(entry);
  }

  /**
   * Counts the connection of an exempt peer as one of whom it serves, such as the client of a proxy, whose oldest gives way where
   * that has too many.
   *
   * @param address of whom the peer serves
   * @returns ends it
   */
  serve(peer: Peer, address: string): () => void {
    const entry = this.open.get(peerName(peer));
    if (entry === undefined || peer.remoteAddress === undefined || !this.isExempt(peer.remoteAddress))
      return () => undefined;
    const served = { ...ownerOf(address), entry };
    this.served.add(served);
    let isGoing = true;
    const end = (): void => {
      if (isGoing) this.served.delete(served);
      isGoing = false;
    };
    const { maxPerAddress, advice } = this.options;
    if (this.served.sizeOf(served) > maxPerAddress) {
      this.warn.perAddress(
        `${served.address} has ${maxPerAddress} requests open by a proxy: the oldest is closed for each new one. ${advice.perAddress}`,
      );
      this.closeOneOf(this.served.oldestOf(served)?.entry);
    }
    return end;
  }

  /** Closes every open connection. */
  closeAll(): void {
    for (const { socket } of this.open.values()) socket.destroy();
  }

  private admit(socket: net.Socket): boolean {
    const { remoteAddress } = socket;
    // The remote address is undefined when the peer has already disconnected.
    if (remoteAddress === undefined) return refuse(socket);
    const owner = ownerOf(remoteAddress);
    const isExempt = this.isExempt(remoteAddress);
    if (!isExempt && this.handshakes?.admits(owner) === false) return refuse(socket);
    if (!this.hasRoom(owner, isExempt)) return refuse(socket);
    const entry: Entry = { ...owner, name: peerName(socket), socket, since: performance.now(), secure: false };
    this.open.set(entry.name, entry);
    this.unauthenticated.add(entry);
    if (!isExempt || this.peersAuthenticate) this.shares.add(entry);
    if (!isExempt) this.closeOneOf(this.handshakes?.begin(entry));
    socket.once('close', () => this.forget(entry));
    this.sweepWhileOpen();
    return true;
  }

  private hasRoom(owner: ConnectionOwner, isExempt: boolean): boolean {
    const { maxSockets, maxUnauthenticated = maxSockets, maxPerAddress, closeIdle, advice } = this.options;
    if (!isExempt && this.shares.sizeOf(owner) >= maxPerAddress) {
      // Where peers authenticate, whoever does so at once needs a place that silent ones of the same address have taken.
      const what = this.peersAuthenticate ? 'the oldest is closed for each new one' : 'further ones are closed';
      this.warn.perAddress(`${owner.address} has ${maxPerAddress} connections open: ${what}. ${advice.perAddress}`);
      if (!this.peersAuthenticate || !this.closeOneOf(this.shares.oldestOf(owner))) return false;
    }
    if (closeIdle !== undefined && this.open.size >= maxSockets * IDLE_CLOSE_SHARE)
      this.closeIdleConnections(closeIdle);
    if (this.open.size >= maxSockets) {
      this.warn.sockets(
        `All ${maxSockets} sockets are in use${this.mostOfThem()}: connections are closed. ${advice.sockets}`,
      );
    } else {
      if (this.unauthenticated.size < maxUnauthenticated) return true;
      this.warn.unknown(
        `${maxUnauthenticated} connections have not shown who they are${this.mostOfThem()}: one is closed for each new one. ${advice.unknown ?? ''}`,
      );
    }
    if (this.peersAuthenticate) return this.closeOneOf(this.shares.toCloseFor(owner) ?? this.shares.oldestOf(owner));
    const newcomer = isExempt ? undefined : owner;
    return this.closeOneOf(this.shares.toCloseFor(newcomer) ?? this.served.toCloseFor(undefined)?.entry);
  }

  private mostOfThem(): string {
    const most = this.shares.largestNetwork ?? this.served.largestNetwork;
    return most === undefined ? '' : `, most of them by ${most.network} (${most.size})`;
  }

  private closeIdleConnections(closeIdle: () => void): void {
    if (performance.now() - this.idleClosedAt < IDLE_CLOSE_INTERVAL_MS) return;
    this.idleClosedAt = performance.now();
    closeIdle();
  }

  private closeOneOf(entry: Entry | undefined): boolean {
    if (entry !== undefined) this.close(entry);
    return entry !== undefined;
  }

  private markSecure(peer: Peer): void {
    const entry = this.open.get(peerName(peer));
    if (entry === undefined) return;
    entry.secure = true;
    this.handshakes?.complete(entry);
  }

  private closeLongHandshakes(entry: Entry): void {
    const others = this.handshakes?.fail(entry);
    if (others === undefined) return;
    this.warn.handshake(
      `A TLS handshake from ${entry.network} failed that was too long: its connections are refused for a minute. ${this.options.advice.unknown ?? ''}`,
    );
    for (const other of others) this.close(other);
  }

  private close(entry: Entry): void {
    this.forget(entry);
    entry.socket.destroy();
  }

  private forget(entry: Entry): void {
    // A new connection from the same address and port may have replaced this one.
    if (this.open.get(entry.name) === entry) this.open.delete(entry.name);
    this.forgetUnauthenticated(entry);
    this.closeLongHandshakes(entry);
    if (this.open.size > 0) return;
    clearInterval(this.sweepTimer);
    this.sweepTimer = undefined;
  }

  private forgetUnauthenticated(entry: Entry): void {
    if (this.unauthenticated.delete(entry)) this.shares.delete(entry);
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

const ownerOf = (address: string): ConnectionOwner => ({
  network: siteNetworkOf(address) ?? address,
  address: peerNetworkOf(address) ?? address,
});

function refuse(socket: net.Socket): false {
  socket.destroy();
  return false;
}

const peerName = ({ remoteAddress, remotePort, localAddress }: Peer): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
