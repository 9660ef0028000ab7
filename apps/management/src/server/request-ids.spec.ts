import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { requestIds } from './request-ids.js';

const NEW = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const requestFrom = (remoteAddress: string | undefined, id?: string | string[]) =>
  ({
    headers: id === undefined ? {} : { 'x-request-id': id },
    socket: { remoteAddress },
  }) as unknown as IncomingMessage;

describe(requestIds.name, () => {
  const idOf = requestIds(['10.0.0.0/8', '::1']);

  it('keeps a well-formed id of a trusted proxy', () => {
    expect(idOf(requestFrom('10.1.2.3', 'abc-1.2:3_4'))).toBe('abc-1.2:3_4');
    expect(idOf(requestFrom('::ffff:10.1.2.3', 'abc'))).toBe('abc');
    expect(idOf(requestFrom('::1', 'x'.repeat(128)))).toBe('x'.repeat(128));
  });

  it.each([
    ['another address', requestFrom('192.0.2.1', 'abc')],
    ['a unix socket', requestFrom(undefined, 'abc')],
    ['a proxy that sends none', requestFrom('10.1.2.3')],
    ['a proxy that sends an empty one', requestFrom('10.1.2.3', '')],
    ['a proxy that sends one with a space', requestFrom('10.1.2.3', 'a b')],
    ['a proxy that sends one with a line break', requestFrom('10.1.2.3', 'a\nb')],
    ['a proxy that sends one that is too long', requestFrom('10.1.2.3', 'x'.repeat(129))],
  ])('makes a new id for a request of %s', (_, request) => {
    expect(idOf(request)).toMatch(NEW);
    expect(idOf(request)).not.toBe(idOf(request));
  });

  it('makes a new id for every request where no proxy is trusted', () => {
    expect(requestIds(undefined)(requestFrom('127.0.0.1', 'abc'))).toMatch(NEW);
  });
});
