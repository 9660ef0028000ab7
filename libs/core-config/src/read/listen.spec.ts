import { describe, expect, it } from '@jest/globals';
import { JsonCursor } from './json-cursor.js';
import { isLocal, readListen } from './listen.js';

const read = (listen: string) => readListen(new JsonCursor({ tag: 'in', listen }));

describe(readListen.name, () => {
  it.each([
    ['', { address: '', isSocket: false }],
    ['10.0.0.1', { address: '10.0.0.1', isSocket: false }],
    ['/run/a,0666', { address: '/run/a', isSocket: true }],
    ['/run/a,666', { address: '/run/a', isSocket: true }],
    ['@a,b,c', { address: '@a,b,c', isSocket: true }],
    ['/run/@', { address: '/run/@', isSocket: true }],
    [`/${'x'.repeat(106)}`, { address: `/${'x'.repeat(106)}`, isSocket: true }],
    [`@${'x'.repeat(200)}`, { address: `@${'x'.repeat(200)}`, isSocket: true }],
  ])('reads %j', (text, listen) => {
    expect(read(text)).toEqual(listen);
  });

  it.each(['/a,', '/a,66', '/a,06667', '/a,1666', '/a,0668', '/a,x0666', '/a,0666,b'])('refuses %j', (text) => {
    expect(() => read(text)).toThrow(
      `inbound "in": listen "${text}" must be a path, or a path, a comma and a mode like 0666`,
    );
  });
});

describe(isLocal.name, () => {
  it.each([
    ['127.0.0.2', true],
    ['localhost', true],
    ['::1', true],
    ['[::1]', true],
    ['', false],
    ['10.127.0.1', false],
    ['localhost.example', false],
    ['::12', false],
    ['fe80::1', false],
  ])('of %j: %s', (address, local) => {
    expect([isLocal({ address, isSocket: false }), isLocal({ address, isSocket: true })]).toEqual([local, true]);
  });
});
