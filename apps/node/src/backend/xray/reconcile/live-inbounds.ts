import type { EngineApi } from '../api/engine-api.js';
import { aliasOf } from '../names/reserved.js';

/** The current state of an inbound in a running engine. */
export interface LiveInbound {
  /** Its current tag in the engine: its own tag or its alias. */
  tag: string;
  /** Number of users in the engine, including guards. */
  users: number;
  /** Number of guards since it was added. */
  guards: number;
  /** A swap is not possible with this number of users or more: they do not fit into one message. */
  swapLimit: number;
}

/** Initial swap limit: so many users do not fit into one message, however short their names are. */
const DEFAULT_SWAP_LIMIT = 64_000;

/** The inbounds of one run of the engine. */
export class LiveInbounds {
  private readonly known: Map<string, LiveInbound>;

  /** @param known the inbounds of an engine that was not started by this node; they do not have to be asked for */
  constructor(
    private readonly api: Pick<EngineApi, 'countUsers'>,
    known: ReadonlyMap<string, Omit<LiveInbound, 'swapLimit'>> = new Map(),
  ) {
    this.known = new Map([...known].map(([tag, inbound]) => [tag, { ...inbound, swapLimit: DEFAULT_SWAP_LIMIT }]));
  }

  tagOf(tag: string): string {
    return this.known.get(tag)?.tag ?? tag;
  }

  /** The tag of an inbound that is not in use: its alias or its own tag. */
  unusedTagOf(tag: string): string {
    return this.tagOf(tag) === tag ? aliasOf(tag) : tag;
  }

  /**
   * Returns the state of an inbound. The first call for a tag asks the engine for the number of users. @throws
   * EngineRefusal, EngineNotAnswering
   */
  async inboundOf(tag: string): Promise<LiveInbound> {
    const known = this.known.get(tag);
    if (known !== undefined) return known;
    const inbound = { tag, users: await this.api.countUsers(tag), guards: 0, swapLimit: DEFAULT_SWAP_LIMIT };
    this.known.set(tag, inbound);
    return inbound;
  }

  /** Adjusts the counts after a call that changed users. */
  adjustCount(tag: string, users: number, guards = 0): void {
    const inbound = this.known.get(tag);
    if (inbound === undefined) return;
    inbound.users += users + guards;
    inbound.guards += guards;
  }
}
