import { expect, it } from '@jest/globals';
import { isClientDisconnect } from './client-disconnect.js';

const broken = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });

it.each([
  ['a stream that broke off with its client', broken, { destroyed: true }, true],
  ['the same over HTTP/2', broken, { stream: { destroyed: true } }, true],
  ['a stream that broke off while the client waits', broken, { destroyed: false }, false],
  ['another error after the client has gone', new Error('a fault'), { destroyed: true }, false],
])('isClientDisconnect tells of %s', (_, error, answer, expected) => {
  expect(isClientDisconnect(error, answer)).toBe(expected);
});
