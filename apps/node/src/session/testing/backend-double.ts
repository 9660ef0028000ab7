import { setImmediate as turn } from 'node:timers/promises';
import {
  Backend as BackendMessage,
  type DeepPartial,
  type ProbeResponse,
  type RefusedUser,
  type User,
  UsersDigest,
  userDigest,
} from '@rampart/node-client';
import type { BackendConfig, ServedUsers, UserReplacement } from '../../backend/backend.js';
import { NodeError } from '../../errors/node-error.js';
import { rawUser } from '../../testing/raw-users.js';
import { decodeBackend } from '../../wire/raw-messages.js';
import { decodeUser, type RawUser, removalMessage } from '../../wire/raw-user.js';

/** Serves users with unique passwords; users of one call may take each other's. */
export class BackendDouble {
  running = false;
  hasFallenBack = false;
  readonly warnings = ['a warning'];
  readonly calls: string[] = [];
  /** Whether an engine of an earlier node still runs. */
  leftEngines = true;
  /** The error of the next start. */
  failure?: NodeError;
  /** An e-mail that the engine unexpectedly refuses. */
  unwanted?: string;
  /** Every start waits for this promise. */
  startAfter: Promise<unknown> = Promise.resolve();
  private readonly served = new Map<string, RawUser>();

  get users(): ServedUsers {
    const digest = new UsersDigest();
    for (const user of this.served.values()) digest.addDigest(userDigest(decodeUser(user)));
    const { served } = this;
    return {
      ...{ count: served.size, digest: digest.value },
      ...{ hasUser: (email) => served.has(email), allUsers: () => [...served.values()] },
    };
  }

  get passwords(): Record<string, string> {
    return Object.fromEntries([...this.served].map(([email, user]) => [email, passwordOf(user)]));
  }

  async start({ text }: BackendConfig, users: readonly RawUser[]): Promise<RefusedUser[]> {
    this.calls.push(`start ${text}`);
    await this.startAfter;
    if (this.failure) throw this.failure;
    this.running = true;
    return this.replace(users);
  }

  async replaceUsers(users: readonly RawUser[]): Promise<UserReplacement> {
    this.calls.push('replace');
    const before = new Map(this.served);
    const refused = this.replace(users);
    const gone = [...before.keys()].filter((email) => !this.served.has(email));
    const come = [...this.served.values()].filter((user) => before.get(user.email) !== user);
    return { refused, changed: [...gone.map((email) => removalMessage(email, 0n)), ...come] };
  }

  async changeUsers(users: readonly RawUser[]): Promise<RefusedUser[]> {
    this.calls.push(`change ${users.map(({ email }) => email).join(' ')}`);
    await turn();
    const others = [...this.served.values()].filter(({ email }) => users.every((user) => user.email !== email));
    const taken = new Set(others.map(passwordOf));
    return users.flatMap((user) => {
      if (!user.present) this.served.delete(user.email);
      else if (user.email === this.unwanted) return this.refuse(user.email);
      else if (taken.has(passwordOf(user))) return [{ email: user.email, reason: 'taken' }];
      else this.served.set(user.email, user);
      return [];
    });
  }

  async prepare(): Promise<void> {
    this.calls.push('end orphans');
  }

  abortStart(): void {}

  async probe(): Promise<ProbeResponse> {
    throw new NodeError('TOO_MANY_PROBES', 'no engine');
  }

  async endProbes(): Promise<void> {
    this.calls.push('end probes');
  }

  async endLeftEngines(): Promise<void> {
    this.leftEngines = false;
  }

  async leave(): Promise<void> {
    this.calls.push('leave');
    this.running = false;
  }

  async stop(): Promise<void> {
    this.calls.push('stop');
    this.running = false;
    this.served.clear();
  }

  private replace(users: readonly RawUser[]): RefusedUser[] {
    this.served.clear();
    for (const user of users) this.served.set(user.email, user);
    return this.unwanted === undefined ? [] : this.refuse(this.unwanted);
  }

  private refuse(email: string): RefusedUser[] {
    this.served.delete(email);
    return [{ email, reason: 'unwanted' }];
  }
}

const passwordOf = (raw: RawUser): string => decodeUser(raw).proxies?.trojan?.password ?? '';
export const userMessage = (email: string, password: string, revision = 0n): DeepPartial<User> => ({
  ...{ email, proxies: { trojan: { password } }, inbounds: ['in'], revision },
});
export const user = (email: string, password: string, revision = 0n): RawUser =>
  rawUser(userMessage(email, password, revision));
export const removal = (email: string, revision = 0n): RawUser => rawUser({ email, revision });
export const startRequest = (config: string, others: DeepPartial<BackendMessage> = {}) =>
  decodeBackend(BackendMessage.encode(BackendMessage.fromPartial({ config, ...others })).finish());
