import type { EngineApi } from '../api/engine-api.js';
import { aliasOf } from '../reserved.js';

/** An inbound of a running engine as it is at this moment. */
export interface LiveInbound {
  /** What the engine calls it: its tag or its alias. */
  tag: string;
  /** Users in the engine, guards among them. */
  users: number;
  /** Guards that were added since it was put up. */
  guards: number;
  /** More users than can be put up with it in one call. */
  swapLimit: number;
}

/** So many fit into no message, however short their names are. */
const DEFAULT_SWAP_LIMIT = 64_000;

/** The inbounds of one run of the engine. */
export class LiveInbounds {
  private readonly known = new Map<string, LiveInbound>();

  constructor(private readonly api: Pick<EngineApi, 'countUsers'>) {}

  tagOf(tag: string): string {
    return this.known.get(tag)?.tag ?? tag;
  }

  /** The tag under which it can be put up beside itself. */
  unusedTagOf(tag: string): string {
    return this.tagOf(tag) === tag ? aliasOf(tag) : tag;
  }

  /** Asks the engine the first time. @throws EngineRefusal, EngineSilence */
  async inboundOf(tag: string): Promise<LiveInbound> {
    const known = this.known.get(tag);
    if (known !== undefined) return known;
    const inbound = { tag, users: await this.api.countUsers(tag), guards: 0, swapLimit: DEFAULT_SWAP_LIMIT };
    this.known.set(tag, inbound);
    return inbound;
  }

  /** After a call that changed its users. */
  adjustCount(tag: string, users: number, guards = 0): void {
    const inbound = this.known.get(tag);
    if (inbound === undefined) return;
    inbound.users += users + guards;
    inbound.guards += guards;
  }
}
