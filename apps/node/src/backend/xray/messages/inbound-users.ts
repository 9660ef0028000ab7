import { lengthDelimitedField } from '@rampart/node-client';
import { forEachYielding } from '../../../concurrency/for-each-yielding.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { newGuardUser } from '../users/shadowsocks-guard.js';
import type { InboundMember, UserDirectory } from '../users/user-directory.js';
import type { UserStep } from '../users/user-plan.js';
import { encodeEngineUser } from './engine-user.js';

/** The field number of the users in the settings of each protocol. */
export const USERS_FIELD: Record<ManagedInbound['protocol'], number> = {
  ...{ vless: 1, vmess: 1, trojan: 1, shadowsocks: 1, hysteria: 1 },
  'shadowsocks-2022': 3,
};
/** Pending text longer than this is converted to a finished piece of bytes. */
const MAX_PIECE_BYTES = 65_536;

/** The encoded users of an inbound as they appear in its settings. On shadowsocks-2022 the first one is a guard. */
export class EncodedInboundUsers {
  /** Number of users, including the guard. */
  count = 0;
  /** Total length of all encoded users in bytes. */
  length = 0;
  private readonly finished: Uint8Array[] = [];
  /** Users after the finished pieces, one character for each byte. */
  private text = '';

  constructor(private readonly inbound: ManagedInbound) {
    if (inbound.protocol === 'shadowsocks-2022') this.addUser(newGuardUser(inbound));
  }

  get pieces(): readonly Uint8Array[] {
    this.finishPiece();
    return this.finished;
  }

  /** Adds a user. Returns false when the total length would exceed `maxLength`. */
  addUser({ email, account }: InboundMember, maxLength = Number.POSITIVE_INFINITY): boolean {
    const user = lengthDelimitedField(USERS_FIELD[this.inbound.protocol], encodeEngineUser(email, account));
    if (this.length + user.length > maxLength) return false;
    this.text += user;
    this.length += user.length;
    this.count += 1;
    if (this.text.length > MAX_PIECE_BYTES) this.finishPiece();
    return true;
  }

  private finishPiece(): void {
    this.finished.push(Buffer.from(this.text, 'latin1'));
    this.text = '';
  }
}

/** The encoded users of all inbounds of a configuration. */
export class EncodedUsers {
  private readonly inbounds: ReadonlyMap<string, EncodedInboundUsers>;

  constructor(inbounds: ReadonlyMap<string, ManagedInbound>) {
    this.inbounds = new Map([...inbounds].map(([tag, inbound]) => [tag, new EncodedInboundUsers(inbound)]));
  }

  static async fromDirectory(directory: UserDirectory): Promise<EncodedUsers> {
    const written = new EncodedUsers(directory.inbounds);
    await forEachYielding(directory.steps(), (steps) => written.addSteps(steps));
    return written;
  }

  addSteps(steps: readonly UserStep[]): void {
    for (const step of steps) this.inbounds.get(step.inbound.tag)?.addUser(step);
  }

  /** The encoded users of one inbound; undefined for an inbound without managed users. */
  usersOf(tag: string): EncodedInboundUsers | undefined {
    return this.inbounds.get(tag);
  }
}
