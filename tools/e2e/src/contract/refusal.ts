import { expect } from '@jest/globals';
import type { Api } from '@rampart/testing';
import { environment } from './environment.js';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/** Matches a text that begins like this; a hint may follow. */
export const startingWith = (text: string): unknown =>
  expect.stringMatching(new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`));

/** Matches an error about this field only, with this message or any message. */
export const about = (field: string, message: unknown = expect.stringMatching(/\S/)): unknown => ({ [field]: message });

/** Matches any text: the contract does not define the wording. */
export const someText: unknown = expect.stringMatching(/\S/);

/** Expects that all calls are refused in the same way, and that the answers of the watched paths do not change. */
export async function expectRefused(
  calls: readonly Call[],
  status: number,
  detail: unknown,
  watched: readonly string[],
  by: Api = environment.sudo,
): Promise<void> {
  const look = () => Promise.all(watched.map((path) => environment.sudo.get(path)));
  const before = await look();
  const answers = await Promise.all(calls.map(({ method, path, body }) => by.send(method, path, body)));
  const refusal = { status, detail, code: expect.stringMatching(/^[A-Z][A-Z0-9_]*$/) };
  expect(answers.map((answer) => ({ status: answer.status, ...(answer.body as object) }))).toEqual(
    calls.map(() => refusal),
  );
  expect(await look()).toEqual(before);
}
