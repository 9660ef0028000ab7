/** Whose a connection is: of an address, in a network. */
export interface ConnectionOwner {
  readonly network: string;
  readonly address: string;
}

/**
 * Connections by the networks and addresses that have them open. Which network has the most, which of its addresses, and
 * which connection of that is the oldest, is known in constant time, however many there are.
 */
export class ConnectionShares<T extends ConnectionOwner> {
  private readonly networks = new Ranking<Ranking<InOrder<T>>>(() => new Ranking(() => new InOrder()));

  add(connection: T): void {
    this.change(connection, (ofAddress) => ofAddress.add(connection));
  }

  delete(connection: T): void {
    this.change(connection, (ofAddress) => ofAddress.delete(connection));
  }

  /** The number of connections of an address. */
  sizeOf({ network, address }: ConnectionOwner): number {
    return this.networks.get(network)?.get(address)?.size ?? 0;
  }

  /** The oldest connection of an address. */
  oldestOf({ network, address }: ConnectionOwner): T | undefined {
    return this.networks.get(network)?.get(address)?.first;
  }

  /** The network with the most connections, and their number. */
  get largestNetwork(): { readonly network: string; readonly size: number } | undefined {
    const oldest = this.networks.largest?.largest?.first;
    return oldest && { network: oldest.network, size: this.networks.largest?.size ?? 0 };
  }

  /**
   * The connection that has to make room for a newcomer: the oldest one of the network with the most, of its address with the
   * most. In such a network the newcomer's address needs to have fewer than another one.
   *
   * @param newcomer undefined for one to whom all others give way.
   * @returns undefined where nobody has more than the newcomer.
   */
  toCloseFor(newcomer: ConnectionOwner | undefined): T | undefined {
    const { largest } = this.networks;
    const own = newcomer && this.networks.get(newcomer.network);
    if (newcomer === undefined || own === undefined || own.size < (largest?.size ?? 0)) return largest?.largest?.first;
    return this.sizeOf(newcomer) < (own.largest?.size ?? 0) ? own.largest?.first : undefined;
  }

  private change({ network, address }: ConnectionOwner, change: (ofAddress: InOrder<T>) => void): void {
    this.networks.change(network, (ofNetwork) => ofNetwork.change(address, change));
  }
}

/** Groups by their keys, and by their sizes, which change one at a time. */
class Ranking<G extends { readonly size: number }> {
  private readonly groups = new Map<string, G>();
  private readonly bySize = new Map<number, InOrder<G>>();
  private largestSize = 0;
  private total = 0;

  constructor(private readonly create: () => G) {}

  /** The size of all groups together. */
  get size(): number {
    return this.total;
  }

  /** Of several groups of this size the one that has had it for the longest time. */
  get largest(): G | undefined {
    return this.bySize.get(this.largestSize)?.first;
  }

  get(key: string): G | undefined {
    return this.groups.get(key);
  }

  /** @param change adds one to the group, takes one from it, or does nothing. */
  change(key: string, change: (group: G) => void): void {
    const group = this.groups.get(key) ?? this.create();
    const before = group.size;
    change(group);
    if (group.size === before) return;
    this.total += group.size - before;
    if (before > 0) this.leave(group, before);
    if (group.size > 0) this.join(key, group);
    else this.groups.delete(key);
    if (group.size > this.largestSize || !this.bySize.has(this.largestSize)) this.largestSize = group.size;
  }

  private join(key: string, group: G): void {
    this.groups.set(key, group);
    const { size } = group;
    const peers = this.bySize.get(size) ?? new InOrder<G>();
    this.bySize.set(size, peers);
    peers.add(group);
  }

  private leave(group: G, size: number): void {
    const peers = this.bySize.get(size);
    peers?.delete(group);
    if (peers?.size === 0) this.bySize.delete(size);
  }
}

interface Link<T> {
  readonly item: T;
  previous: Link<T> | undefined;
  next: Link<T> | undefined;
}

/**
 * A set that knows its first item in constant time. A `Set` walks over all items that were removed before its first one, and
 * an iterator of it that is kept holds these in memory.
 */
class InOrder<T> {
  private readonly links = new Map<T, Link<T>>();
  private head: Link<T> | undefined;
  private tail: Link<T> | undefined;

  get size(): number {
    return this.links.size;
  }

  get first(): T | undefined {
    return this.head?.item;
  }

  add(item: T): void {
    if (this.links.has(item)) return;
    const link: Link<T> = { item, previous: this.tail, next: undefined };
    if (this.tail) this.tail.next = link;
    else this.head = link;
    this.tail = link;
    this.links.set(item, link);
  }

  delete(item: T): void {
    const link = this.links.get(item);
    if (!link) return;
    this.links.delete(item);
    if (link.previous) link.previous.next = link.next;
    else this.head = link.next;
    if (link.next) link.next.previous = link.previous;
    else this.tail = link.previous;
  }
}
