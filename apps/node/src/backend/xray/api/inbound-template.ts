import { setImmediate as turn } from 'node:timers/promises';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ManagedInbound } from '../config/inbounds.js';
import type { InboundHandlerConfig } from '../gen/core.js';
import { AddInboundRequest } from '../gen/proxyman.js';
import { User } from '../gen/user.js';
import { newGuard } from '../users/guards.js';
import type { Member } from '../users/user-directory.js';
import { engineUser } from './typed-message.js';

/** An inbound with users, ready to be added. */
export interface FilledInbound {
  readonly message: InboundHandlerConfig;
  /** How many users are in it, the guard among them. */
  readonly users: number;
  /** For whom there was no room. */
  readonly left: readonly Member[];
}

/** The engine takes no larger message. */
const MAX_MESSAGE_BYTES = 4_194_304;
/** What the lengths of the three messages around the users grow by, at the most. */
const LENGTHS_BYTES = 3 * 4;
/** Users written before others have their turn. */
const STRETCH = 1000;

/** The settings message of each protocol and the number of the users in it. */
const SETTINGS: Record<ManagedInbound['protocol'], { readonly type: string; readonly users: number }> = {
  vless: { type: 'xray.proxy.vless.inbound.Config', users: 1 },
  vmess: { type: 'xray.proxy.vmess.inbound.Config', users: 1 },
  trojan: { type: 'xray.proxy.trojan.ServerConfig', users: 1 },
  shadowsocks: { type: 'xray.proxy.shadowsocks.ServerConfig', users: 1 },
  'shadowsocks-2022': { type: 'xray.proxy.shadowsocks_2022.MultiUserServerConfig', users: 3 },
  hysteria: { type: 'xray.proxy.hysteria.ServerConfig', users: 1 },
};

/** An inbound as the engine has it, but for its users. */
export class InboundTemplate {
  private readonly settings: Buffer;

  /** From the engine's own form of the inbound; who stands in it is left out. */
  constructor(
    private readonly managed: ManagedInbound,
    private readonly inbound: InboundHandlerConfig,
  ) {
    const { type, users } = SETTINGS[managed.protocol];
    if (inbound.proxySettings?.type !== type) {
      throw new Error(`inbound "${managed.tag}" is not ${managed.protocol} to the engine`);
    }
    this.settings = withoutField(inbound.proxySettings.value, users);
  }

  /**
   * The inbound with these users and no others, as many as one message can take, under its tag or another one. On
   * shadowsocks-2022 a guard is with them.
   */
  async with(members: Iterable<Member>, tag = this.managed.tag): Promise<FilledInbound> {
    const { type, users } = SETTINGS[this.managed.protocol];
    const filled = (value: Buffer) => ({ ...this.inbound, tag, proxySettings: { type, value } });
    const parts: Uint8Array[] = [this.settings];
    const left: Member[] = [];
    const empty = AddInboundRequest.encode({ inbound: filled(this.settings) }).finish().length;
    let room = MAX_MESSAGE_BYTES - LENGTHS_BYTES - empty;
    let count = 0;
    for (const member of this.guarded(members)) {
      const part = writeUser(new BinaryWriter(), users, member).finish();
      if (part.length > room) left.push(member);
      else parts.push(part);
      room -= part.length;
      count += 1;
      if (count % STRETCH === 0) await turn();
    }
    return { message: filled(Buffer.concat(parts)), users: count - left.length, left };
  }

  /** The settings with all of these users, in pieces. On shadowsocks-2022 a guard is with them. */
  async settingsWith(members: Iterable<Member>): Promise<Uint8Array[]> {
    const { users } = SETTINGS[this.managed.protocol];
    const pieces: Uint8Array[] = [this.settings];
    let writer = new BinaryWriter();
    let count = 0;
    for (const member of this.guarded(members)) {
      writeUser(writer, users, member);
      count += 1;
      if (count % STRETCH > 0) continue;
      pieces.push(writer.finish());
      writer = new BinaryWriter();
      await turn();
    }
    return [...pieces, writer.finish()];
  }

  private *guarded(members: Iterable<Member>): Iterable<Member> {
    if (this.managed.protocol === 'shadowsocks-2022') yield newGuard(this.managed);
    yield* members;
  }
}

function writeUser(writer: BinaryWriter, field: number, { email, account }: Member): BinaryWriter {
  return User.encode(engineUser(email, account), writer.uint32((field << 3) | WireType.LengthDelimited).fork()).join();
}

/** A message without everything that stands under one number. */
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

/** The templates of a configuration's inbounds. */
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

  of(tag: string): InboundTemplate {
    const template = this.managed.get(tag);
    if (template === undefined) throw new Error(`the configuration has no users on inbound "${tag}"`);
    return template;
  }

  /** With these users where the node keeps them, else as the configuration has it. */
  async filled(tag: string, members: Iterable<Member>): Promise<FilledInbound> {
    const message = this.others.get(tag);
    return message === undefined ? this.of(tag).with(members) : { message, users: 0, left: [] };
  }
}
