import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { removeForwardedPorts } from './forwarded-ports.js';

describe(removeForwardedPorts.name, () => {
  it.each([
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['198.51.100.1, 203.0.113.9:80,[::ffff:192.0.2.1]:9', '198.51.100.1, 203.0.113.9, ::ffff:192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['198.51.100.1,203.0.113.9', '198.51.100.1,203.0.113.9'],
    ['unknown:1, a:b', 'unknown:1, a:b'],
  ])('security row 138: makes %s into %s', (value, expected) => {
    const request = { headers: { 'x-forwarded-for': value } } as unknown as IncomingMessage;
    removeForwardedPorts(request);
    expect(request.headers).toEqual({ 'x-forwarded-for': expected });
  });

  it('leaves a request without the header alone', () => {
    const request = { headers: {} } as IncomingMessage;
    removeForwardedPorts(request);
    expect(request.headers).toEqual({});
  });
});
