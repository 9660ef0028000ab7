import { BinaryReader } from '@bufbuild/protobuf/wire';
import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import type { InboundHandlerConfig } from '../gen/core.js';
import { AddInboundRequest } from '../gen/proxyman.js';
import type { InboundMember } from '../users/user-directory.js';
import { EncodedInboundUsers, USERS_FIELD } from './inbound-users.js';

/** An inbound with users, ready for AddInbound. */
export interface FilledInbound {
  readonly message: InboundHandlerConfig;
  /** Number of users in the message, including the guard. */
  readonly users: number;
  /** Users for whom the message had no room. */
  readonly leftOut: readonly InboundMember[];
}

/** Maximum size of a message that the engine accepts. */
const MAX_MESSAGE_BYTES = 4_194_304;
/** The most by which the length prefixes of the three messages around the users can grow. */
const MAX_LENGTH_PREFIX_BYTES = 3 * 4;

/** The type of the settings message of each protocol. */
const SETTINGS_TYPES: Record<ManagedInbound['protocol'], string> = {
  vless: 'xray.proxy.vless.inbound.Config',
  vmess: 'xray.proxy.vmess.inbound.Config',
  trojan: 'xray.proxy.trojan.ServerConfig',
  shadowsocks: 'xray.proxy.shadowsocks.ServerConfig',
  'shadowsocks-2022': 'xray.proxy.shadowsocks_2022.MultiUserServerConfig',
  hysteria: 'xray.proxy.hysteria.ServerConfig',
};

/** An inbound in the engine's form, without users. */
export class InboundTemplate {
  /** The type of the settings message. */
  readonly type: string;
  /** The encoded settings without users. */
  readonly settings: Uint8Array;

  /** Takes the engine's form of the inbound; users in it are left out. */
  constructor(
    private readonly managed: ManagedInbound,
    private readonly inbound: InboundHandlerConfig,
  ) {
    this.type = SETTINGS_TYPES[managed.protocol];
    if (inbound.proxySettings?.type !== this.type) {
      throw new Error(`inbound "${managed.tag}" is not ${managed.protocol} to the engine`);
    }
    this.settings = withoutField(inbound.proxySettings.value, USERS_FIELD[managed.protocol]);
  }

  /**
   * Returns the inbound with these users, as many of them as one message can hold, under its tag or another one. On
   * shadowsocks-2022 a guard is added.
   */
  async fillWith(members: Iterable<InboundMember>, tag = this.managed.tag): Promise<FilledInbound> {
    const filled = (value: Buffer) => ({ ...this.inbound, tag, proxySettings: { type: this.type, value } });
    const empty = AddInboundRequest.encode({ inbound: filled(Buffer.from(this.settings)) }).finish();
    const room = MAX_MESSAGE_BYTES - MAX_LENGTH_PREFIX_BYTES - empty.length;
    const users = new EncodedInboundUsers(this.managed);
    const leftOut: InboundMember[] = [];
    await forEachYielding(members, (member) => {
      if (!users.addUser(member, room)) leftOut.push(member);
    });
    return { message: filled(Buffer.concat([this.settings, ...users.pieces])), users: users.count, leftOut };
  }
}

/** A message without all fields of one number. */
export function withoutField(message: Uint8Array, field: number): Buffer {
  const reader = new BinaryReader(message);
  const kept: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const [number, wireType] = reader.tag();
    reader.skip(wireType, number);
    if (number !== field) kept.push(message.subarray(start, reader.pos));
  }
  return Buffer.concat(kept);
}

/** The templates of a configuration's inbounds, by tag. */
export class InboundTemplates {
  private readonly managed = new Map<string, InboundTemplate>();
  private readonly others = new Map<string, InboundHandlerConfig>();

  constructor(known: ReadonlyMap<string, ManagedInbound>, inbounds: Iterable<InboundHandlerConfig>) {
    for (const inbound of inbounds) {
      const managed = known.get(inbound.tag);
      if (managed === undefined) this.others.set(inbound.tag, inbound);
      else this.managed.set(inbound.tag, new InboundTemplate(managed, inbound));
    }
  }

  templateOf(tag: string): InboundTemplate {
    const template = this.managed.get(tag);
    if (template === undefined) throw new Error(`the configuration has no users on inbound "${tag}"`);
    return template;
  }

  /** The inbound with these users; an inbound without managed users stays as the configuration has it. */
  async fillInbound(tag: string, members: Iterable<InboundMember>): Promise<FilledInbound> {
    const message = this.others.get(tag);
    return message === undefined ? this.templateOf(tag).fillWith(members) : { message, users: 0, leftOut: [] };
  }
}
