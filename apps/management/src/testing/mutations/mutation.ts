import type { TestManagement } from '../test-management.js';

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SHOWN_ONCE = new Set(['access_token', 'id', 'password', 'subscription_url', 'subscription_urls', 'token']);

/** What a route is sent, to change something. */
export interface MutationRequest {
  url: string;
  body?: object;
  /** What the audit log calls the subject; of what is made, by the answer. */
  target: string | ((made: Made) => string);
  /** Who sends it, where that is not the sudo admin. */
  by?: { id: number; username: string; token: string };
}

/** A route that changes something. */
export interface Mutation {
  /** What the audit log calls it. */
  action: string;
  /** Makes what the request is about, and gives the request. */
  prepare(management: TestManagement): Promise<MutationRequest> | MutationRequest;
}

/** What an answer tells of something that was made. */
export interface Made {
  id: number;
  name: string;
  username: string;
}

/** Mutations by their routes: `POST /api/core`. */
export type Mutations = Readonly<Record<string, Mutation>>;

/** Stands in the requests wherever they carry a secret of its shape: none of these may ever be shown again. */
export const SECRETS = {
  uuid: '5ec4e75e-c4e7-4ec4-8e75-ec4e75ec4e75',
  password: 'hush hush hush hush hush',
  privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
  serverPassword: 'aHVzaCBodXNoIGh1c2ggaA==',
} as const;

/** Sends the request of a route, which must succeed. */
export async function send(
  management: TestManagement,
  route: string,
  { url, body, by }: Pick<MutationRequest, 'url' | 'body' | 'by'>,
): Promise<unknown> {
  const method = METHODS.find((known) => route.startsWith(`${known} `));
  if (!method) throw new Error(`no method in ${route}`);
  const answer = await management.request(method, url, body, by?.token);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Makes something by the API. */
export async function make(management: TestManagement, url: string, body: object): Promise<Made> {
  return madeOf(await send(management, `POST ${url}`, { url, body }));
}

export const madeOf = (answer: unknown): Made => {
  const { id, name, username } = Object(answer);
  return { id, name, username };
};

/** Strings of an answer that are shown to the caller alone: credentials of users and their links. */
export function secretsOf(answer: unknown, name = ''): string[] {
  if (typeof answer === 'string') return SHOWN_ONCE.has(name) && answer !== '' ? [answer] : [];
  if (Array.isArray(answer)) return answer.flatMap((item) => secretsOf(item, name));
  return Object.entries(answer ?? {}).flatMap(([key, member]) => secretsOf(member, key));
}

let last = 0;

/** A name that nothing has yet. */
export const newName = (): string => `name${++last}`;
