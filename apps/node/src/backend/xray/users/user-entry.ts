import { foldCase } from '@rampart/core-config';
import type { RawUser } from '../../../wire/raw-user.js';
import { parseUserText, type UserText, userToText } from '../../../wire/user-text.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { isReserved, RESERVED_PREFIX } from '../names/reserved.js';
import { AccountError, accountOn, identityOf } from './account.js';
import { identityHash } from './identity-index.js';
import type { UserStep } from './user-plan.js';

/** A decoded user of the directory. */
export interface UserEntry {
  readonly email: string;
  /** The e-mail without case, as the engine compares it. */
  readonly key: string;
  readonly text: UserText;
  /** The user's inbounds, with the account on each. */
  readonly steps: readonly UserStep[];
  /** Hashes of the identities that must be unique on these inbounds, without repetition. */
  readonly identities: readonly number[];
}

/** Decodes a user; unknown tags are ignored. @throws AccountError for a credential that must not reach the engine */
export function parseEntry(inbounds: ReadonlyMap<string, ManagedInbound>, text: UserText): UserEntry {
  const user = parseUserText(text);
  const { email } = user;
  const steps = userSteps(inbounds, user);
  const identities = [...new Set(steps.map(({ account }) => identityHash(identityOf(account))))];
  return { email, key: foldCase(email), text, steps, identities };
}

/** The user's inbounds, with the account on each. */
export function userSteps(
  inbounds: ReadonlyMap<string, ManagedInbound>,
  { email, proxies, inbounds: tags }: ReturnType<typeof parseUserText>,
): UserStep[] {
  const steps: UserStep[] = [];
  for (const tag of uniqueTags(tags)) {
    const inbound = inbounds.get(tag);
    const account = inbound && proxies && accountOn(inbound, proxies);
    if (account !== undefined && inbound !== undefined) steps.push({ email, inbound, account });
  }
  return steps;
}

function uniqueTags(tags: readonly string[]): Iterable<string> {
  // For few tags this is faster than a set.
  return tags.length < 16 && tags.every((tag, at) => !tags.includes(tag, at + 1)) ? tags : new Set(tags);
}

/** Maximum size of one user's message; a user with a thousand inbounds and all credentials needs less. */
const MAX_USER_BYTES = 65_536;

/** The user of a message, or the reason why the engine must not get it, regardless of other users. */
export function validateEntry(inbounds: ReadonlyMap<string, ManagedInbound>, raw: RawUser): UserEntry | string {
  const problem = emailProblem(raw.email);
  if (problem !== undefined) return problem;
  if (raw.bytes.length > MAX_USER_BYTES) return `user has more than ${MAX_USER_BYTES} bytes`;
  try {
    return parseEntry(inbounds, userToText(raw));
  } catch (error) {
    if (error instanceof AccountError) return error.message;
    throw error;
  }
}

const CONTROL_CHARACTER = /\p{Cc}/u;

/** The problem with a user's name, if any. */
export function emailProblem(email: string): string | undefined {
  if (email.trim() === '') return 'email is missing';
  if (CONTROL_CHARACTER.test(email)) return 'email has a control character';
  if (isReserved(email)) return `email begins with "${RESERVED_PREFIX}", which is reserved for the node`;
  return undefined;
}
