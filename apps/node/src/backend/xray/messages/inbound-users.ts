import { lengthDelimitedField } from '@rampart/node-client';
import { inTurns } from '../../../concurrency/for-each-yielding.js';
import type { ManagedInbound } from '../config/inbounds.js';
import { newGuard } from '../users/shadowsocks-guard.js';
import type { Member, UserDirectory } from '../users/user-directory.js';
import type { UserStep } from '../users/user-plan.js';
import { engineUser } from './engine-user.js';

/** The number of the users in the settings of each protocol. */
export const USERS_FIELD: Record<ManagedInbound['protocol'], number> = {
  ...{ vless: 1, vmess: 1, trojan: 1, shadowsocks: 1, hysteria: 1 },
  'shadowsocks-2022': 3,
};
/** Bytes that are made of text at once. */
const PIECE_BYTES = 65_536;

/** The users of an inbound as they stand in its settings, written one by one. On shadowsocks-2022 a guard is there first. */
export class InboundUsers {
  /** The guard among them. */
  count = 0;
  /** In bytes. */
  length = 0;
  private readonly finished: Uint8Array[] = [];
  /** What comes after the finished pieces, one character for each byte. */
  private text = '';

  constructor(private readonly inbound: ManagedInbound) {
    if (inbound.protocol === 'shadowsocks-2022') this.add(newGuard(inbound));
  }

  get pieces(): readonly Uint8Array[] {
    this.finish();
    return this.finished;
  }

  /** Answers whether there was room. */
  add({ email, account }: Member, maxLength = Number.POSITIVE_INFINITY): boolean {
    const user = lengthDelimitedField(USERS_FIELD[this.inbound.protocol], engineUser(email, account));
    if (this.length + user.length > maxLength) return false;
    this.text += user;
    this.length += user.length;
    this.count += 1;
    if (this.text.length > PIECE_BYTES) this.finish();
    return true;
  }

  private finish(): void {
    this.finished.push(Buffer.from(this.text, 'latin1'));
    this.text = '';
  }
}

/** The users of all inbounds of a configuration: who reads a user writes it everywhere. */
export class WrittenUsers {
  private readonly inbounds: ReadonlyMap<string, InboundUsers>;

  constructor(inbounds: ReadonlyMap<string, ManagedInbound>) {
    this.inbounds = new Map([...inbounds].map(([tag, inbound]) => [tag, new InboundUsers(inbound)]));
  }

  static async of(directory: UserDirectory): Promise<WrittenUsers> {
    const written = new WrittenUsers(directory.inbounds);
    await inTurns(directory.steps(), (steps) => written.add(steps));
    return written;
  }

  add(steps: readonly UserStep[]): void {
    for (const step of steps) this.inbounds.get(step.inbound.tag)?.add(step);
  }

  /** Nothing where the node keeps no users. */
  on(tag: string): InboundUsers | undefined {
    return this.inbounds.get(tag);
  }
}
