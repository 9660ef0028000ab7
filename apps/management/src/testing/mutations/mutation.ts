import type { TestManagement } from '../test-management.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SHOWN_ONCE = new Set([
  'access_token',
  'enrolment',
  'id',
  'password',
  'recovery_codes',
  'secret',
  'subscription_url',
  'subscription_urls',
  'token',
]);

/** A request that changes something. */
export interface MutationRequest {
  url: string;
  body?: object;
  /** The target in the audit log, or a function that makes it from the answer. */
  target: string | ((made: Made) => string);
  /** The admin who sends it, unless it is the sudo admin. */
  by?: { id: number; username: string; token: string };
  /** Further headers; with a cookie the token of `by` is empty. */
  headers?: Record<string, string>;
}

/** A route that changes something. */
export interface Mutation {
  /** The action in the audit log. */
  action: string;
  /** Creates what the request needs, and returns the request. */
  prepare(management: TestManagement): Promise<MutationRequest> | MutationRequest;
}

/** The parts of an answer that identify a created object. */
export interface Made {
  id: number;
  name: string;
  username: string;
}

/** Mutations by route, such as `POST /api/core`. */
export type Mutations = Readonly<Record<string, Mutation>>;

/** Secrets that requests contain wherever a field takes one of this form. None of them may ever be shown again. */
export const SECRETS = {
  uuid: '5ec4e75e-c4e7-4ec4-8e75-ec4e75ec4e75',
  /** With this begin the UUIDs of users. */
  startOfIds: '5ec4e75e-c4e7-4ec4-8e76-',
  password: 'hush hush hush hush hush',
  privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
  serverPassword: 'aHVzaCBodXNoIGh1c2ggaA==',
} as const;

/** Sends the request of a route and expects success. */
export async function send(
  management: TestManagement,
  route: string,
  { url, body, by, headers }: Pick<MutationRequest, 'url' | 'body' | 'by' | 'headers'>,
): Promise<unknown> {
  const method = METHODS.find((known) => route.startsWith(`${known} `));
  if (!method) throw new Error(`no method in ${route}`);
  const answer = await management.request(method, url, body, by?.token, headers);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Creates an object through the API. */
export async function make(management: TestManagement, url: string, body: object): Promise<Made> {
  return madeOf(await send(management, `POST ${url}`, { url, body }));
}

export const madeOf = (answer: unknown): Made => {
  // An enrolment answers the node and its secret value.
  const { id, name, username } = Object(Object(answer).node ?? answer);
  return { id, name, username };
};

/** The strings of an answer that only the caller may see: credentials of users and their links. */
export function secretsOf(answer: unknown, name = ''): string[] {
  if (typeof answer === 'string') return SHOWN_ONCE.has(name) && answer !== '' ? [answer] : [];
  if (Array.isArray(answer)) return answer.flatMap((item) => secretsOf(item, name));
  return Object.entries(answer ?? {}).flatMap(([key, member]) => secretsOf(member, key));
}

let last = 0;

/** A name that no object has yet. */
export const newName = (): string => `name${++last}`;
