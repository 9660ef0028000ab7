import { setImmediate as turn } from 'node:timers/promises';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { EngineRefusal } from '../api/engine-call.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import type { InboundHandlerConfig } from '../gen/core.js';
import { AddInboundRequest } from '../gen/proxyman.js';
import { User } from '../gen/user.js';
import { InboundTemplate } from '../messages/inbound-template.js';
import { isReserved } from '../names/reserved.js';
import type { EngineUsersOptions } from '../reconcile/engine-users.js';

const SETTINGS: Record<ManagedInbound['protocol'], string> = {
  vless: 'xray.proxy.vless.inbound.Config',
  vmess: 'xray.proxy.vmess.inbound.Config',
  trojan: 'xray.proxy.trojan.ServerConfig',
  shadowsocks: 'xray.proxy.shadowsocks.ServerConfig',
  'shadowsocks-2022': 'xray.proxy.shadowsocks_2022.MultiUserServerConfig',
  hysteria: 'xray.proxy.hysteria.ServerConfig',
};

/** Keeps the users of one inbound as the engine does, and records calls that would have harmed a real engine. */
export class EngineDouble implements EngineUsersOptions {
  readonly harm: string[] = [];
  readonly notes: string[] = [];
  readonly swaps: string[] = [];
  /** E-mails that the engine unexpectedly refuses. */
  readonly poisoned = new Set<string>();
  refusesInbounds = false;
  private readonly lists = new Map<string, string[]>();
  private readonly underWay = new Set<string>();
  readonly api = this;

  constructor(
    private readonly inbound: ManagedInbound,
    emails: readonly string[],
  ) {
    this.lists.set(inbound.tag, [...emails]);
  }

  /** All users that are served now. */
  get users(): string[] {
    return [...this.lists.values()].flatMap((list) => list.filter((email) => !isReserved(email))).sort();
  }

  get tags(): string[] {
    return [...this.lists.keys()];
  }

  /** How often a template was requested. */
  filled = 0;
  readonly templates = {
    templateOf: (tag: string) => {
      this.filled += 1;
      const empty = { type: SETTINGS[this.inbound.protocol], value: Buffer.alloc(0) };
      return new InboundTemplate(this.inbound, { tag, receiverSettings: undefined, proxySettings: empty });
    },
  };

  readonly note = (text: string): void => {
    this.notes.push(text);
  };

  async countUsers(tag: string): Promise<number> {
    return this.listOf(tag).length;
  }

  async addUser(tag: string, email: string): Promise<void> {
    await this.changeAlone(email, () => {
      const list = this.listOf(tag);
      if (this.poisoned.has(email)) throw new EngineRefusal(`User ${email} is not to the engine's taste.`);
      if (list.includes(email)) throw new EngineRefusal(`User ${email} already exists.`);
      list.push(email);
    });
  }

  async removeUser(tag: string, email: string): Promise<void> {
    await this.changeAlone(email, () => {
      const list = this.listOf(tag);
      const index = list.indexOf(email);
      if (index < 0) throw new EngineRefusal(`User ${email} not found.`);
      const last = list.at(-1) ?? '';
      if (this.inbound.protocol === 'shadowsocks-2022' && !isReserved(last)) {
        this.harm.push(`${email} removed while ${last} stood last`);
      }
      list[index] = last;
      list.pop();
    });
  }

  async addInbound(message: InboundHandlerConfig): Promise<void> {
    await turn();
    const { tag, proxySettings } = message;
    if (this.inbound.handover !== 'shared') this.harm.push(`a swap of an inbound that is ${this.inbound.handover}`);
    if (AddInboundRequest.encode({ inbound: message }).finish().length > 4_194_304) this.harm.push('too large');
    if (this.lists.has(tag)) throw new EngineRefusal(`existing tag found: ${tag}`);
    const emails = usersOf(proxySettings?.value ?? Buffer.alloc(0));
    if (this.inbound.protocol === 'shadowsocks-2022' && !emails.some(isReserved)) this.harm.push('no guard');
    this.lists.set(tag, []);
    if (this.refusesInbounds) throw new EngineRefusal('failed to listen');
    const unwanted = emails.find((email) => this.poisoned.has(email));
    if (unwanted !== undefined) throw new EngineRefusal(`User ${unwanted} is not to the engine's taste.`);
    this.lists.set(tag, emails);
    this.swaps.push(tag);
  }

  async removeInbound(tag: string): Promise<void> {
    await turn();
    if (!this.lists.delete(tag)) throw new EngineRefusal('common: not enough information for making a decision');
    if (this.lists.size === 0) this.harm.push('nobody listens');
  }

  private listOf(tag: string): string[] {
    const list = this.lists.get(tag);
    if (list === undefined) throw new EngineRefusal(`handler not found: ${tag}`);
    return list;
  }

  /** The engine handles concurrent calls in any order. */
  private async changeAlone(email: string, work: () => void): Promise<void> {
    if (this.underWay.has(email)) this.harm.push(`two calls for ${email} at a time`);
    this.underWay.add(email);
    await turn();
    this.underWay.delete(email);
    work();
  }
}

/** The e-mails in a protocol's settings, which have no other fields here. */
function usersOf(settings: Uint8Array): string[] {
  const reader = new BinaryReader(settings);
  const emails: string[] = [];
  while (reader.pos < reader.len) {
    reader.tag();
    emails.push(User.decode(reader.bytes()).email);
  }
  return emails;
}
