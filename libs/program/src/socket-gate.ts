import type net from 'node:net';
import { isIn, networkOf } from './address-network.js';
import { rateLimited } from './rate-limited-log.js';

/** Between two looks at the limits of time and bytes; less where a limit is shorter. */
const SWEEP_MS = 500;
/** Which part of all sockets may be open before idle ones are closed, and how often they are. */
const CROWDED = 0.9;
const TIDY_MS = 1_000;

export interface SocketGateOptions {
  /** Sockets that may be open. */
  readonly maxSockets: number;
  /** Sockets of unknown peers that may be open. Default: all. */
  readonly maxUnknown?: number;
  /** Sockets of unknown peers that may be open from one address, or from one /64 of IPv6. */
  readonly maxPerAddress: number;
  /** Addresses and networks to which `maxPerAddress` does not apply. */
  readonly exempt?: readonly string[];
  /** In which a TLS handshake must be done, in ms. Without it there is none. */
  readonly handshakeMs?: number;
  /** In which a peer must have become known, in ms. Without it none must. */
  readonly unknownMs?: number;
  /** What an unknown peer may send, in bytes as they travel. Default: any number. */
  readonly unknownBytes?: number;
  /** Closes connections that nobody needs, when most sockets are in use. Without it the oldest unknown one is closed. */
  readonly closeIdle?: () => void;
  /** Takes the lines for the operator; each kind is told once a minute at most. */
  readonly warn: (line: string) => void;
  /** What the operator can do, one sentence each, when a limit is reached. */
  readonly advice: { readonly sockets: string; readonly unknown?: string; readonly perAddress: string };
}

/** A socket, given by where it comes from and goes to: the TLS socket upon a socket is the same one. */
export type Peer = Pick<net.Socket, 'remoteAddress' | 'remotePort' | 'localAddress'>;

interface Entry {
  readonly name: string;
  readonly socket: net.Socket;
  /** What `maxPerAddress` counts by; undefined where it does not. */
  readonly network: string | undefined;
  readonly since: number;
  secure: boolean;
}

/** Keeps the number of sockets of a server within limits, and closes those whose peer does not say who it is in time. */
export class SocketGate {
  /** By peer, the oldest first. */
  private readonly open = new Map<string, Entry>();
  private readonly unknown = new Set<Entry>();
  private readonly unknownOf = new Map<string, number>();
  private readonly isExempt: (address: string) => boolean;
  private readonly warn: Readonly<Record<'sockets' | 'unknown' | 'perAddress', (line: string) => void>>;
  private sweeping: NodeJS.Timeout | undefined;
  private tidied = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: SocketGateOptions) {
    const { exempt = [], warn } = options;
    this.isExempt = isIn(exempt);
    this.warn = { sockets: rateLimited(warn), unknown: rateLimited(warn), perAddress: rateLimited(warn) };
  }

  /** Puts the gate before a server of TCP or TLS. One gate may stand before several. */
  guard(server: net.Server): void {
    const listeners = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: net.Socket) => {
      if (this.admit(socket)) for (const listener of listeners) listener.call(server, socket);
    });
    server.prependListener('secureConnection', (socket: net.Socket) => this.secured(socket));
  }

  /** The peer has shown that it may be here: from now on only `maxSockets` counts its socket. */
  welcome(peer: Peer): void {
    const entry = this.open.get(nameOf(peer));
    if (entry !== undefined) this.forgetUnknown(entry);
  }

  closeAll(): void {
    for (const { socket } of this.open.values()) socket.destroy();
  }

  private admit(socket: net.Socket): boolean {
    const { remoteAddress } = socket;
    // Undefined when the peer is gone already.
    if (remoteAddress === undefined) return refuse(socket);
    const network = this.isExempt(remoteAddress) ? undefined : networkOf(remoteAddress);
    if (!this.hasRoom(network)) return refuse(socket);
    const entry: Entry = { name: nameOf(socket), socket, network, since: performance.now(), secure: false };
    this.open.set(entry.name, entry);
    this.unknown.add(entry);
    if (network !== undefined) this.unknownOf.set(network, (this.unknownOf.get(network) ?? 0) + 1);
    socket.once('close', () => this.forget(entry));
    this.sweepWhileOpen();
    return true;
  }

  private hasRoom(network: string | undefined): boolean {
    const { maxSockets, maxUnknown = maxSockets, maxPerAddress, closeIdle, advice } = this.options;
    if (network !== undefined && (this.unknownOf.get(network) ?? 0) >= maxPerAddress) {
      this.warn.perAddress(
        `${network} has ${maxPerAddress} connections open: further ones are closed. ${advice.perAddress}`,
      );
      return false;
    }
    if (closeIdle !== undefined && this.open.size >= maxSockets * CROWDED) this.tidy(closeIdle);
    if (this.open.size >= maxSockets) {
      this.warn.sockets(`All ${maxSockets} sockets are in use: connections are closed. ${advice.sockets}`);
      return closeIdle === undefined && this.dropOldest();
    }
    if (closeIdle !== undefined || this.unknown.size < maxUnknown) return true;
    this.warn.unknown(
      `${maxUnknown} connections have not shown who they are: the oldest is closed for each new one. ${advice.unknown ?? ''}`,
    );
    return this.dropOldest();
  }

  private tidy(closeIdle: () => void): void {
    if (performance.now() - this.tidied < TIDY_MS) return;
    this.tidied = performance.now();
    closeIdle();
  }

  private dropOldest(): boolean {
    const [oldest] = this.unknown;
    if (oldest === undefined) return false;
    this.drop(oldest);
    return true;
  }

  private secured(peer: Peer): void {
    const entry = this.open.get(nameOf(peer));
    if (entry !== undefined) entry.secure = true;
  }

  private drop(entry: Entry): void {
    this.forget(entry);
    entry.socket.destroy();
  }

  private forget(entry: Entry): void {
    // The same peer may have come again since.
    if (this.open.get(entry.name) === entry) this.open.delete(entry.name);
    this.forgetUnknown(entry);
    if (this.open.size > 0) return;
    clearInterval(this.sweeping);
    this.sweeping = undefined;
  }

  private forgetUnknown(entry: Entry): void {
    const { network } = entry;
    if (!this.unknown.delete(entry) || network === undefined) return;
    const left = (this.unknownOf.get(network) ?? 0) - 1;
    if (left > 0) this.unknownOf.set(network, left);
    else this.unknownOf.delete(network);
  }

  private sweepWhileOpen(): void {
    const { handshakeMs = Number.POSITIVE_INFINITY, unknownMs = Number.POSITIVE_INFINITY } = this.options;
    const shortest = Math.min(handshakeMs, unknownMs);
    if (this.sweeping !== undefined || shortest === Number.POSITIVE_INFINITY) return;
    this.sweeping = setInterval(() => this.sweep(handshakeMs, unknownMs), Math.min(SWEEP_MS, shortest / 4)).unref();
  }

  private sweep(handshakeMs: number, unknownMs: number): void {
    const { unknownBytes = Number.POSITIVE_INFINITY } = this.options;
    const now = performance.now();
    for (const entry of this.unknown) {
      const age = now - entry.since;
      const late = age >= unknownMs || (!entry.secure && age >= handshakeMs);
      if (late || entry.socket.bytesRead > unknownBytes) this.drop(entry);
    }
  }
}

function refuse(socket: net.Socket): false {
  socket.destroy();
  return false;
}

const nameOf = ({ remoteAddress, remotePort, localAddress }: Peer): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
