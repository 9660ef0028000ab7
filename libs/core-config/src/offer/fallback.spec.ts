import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, PUBLIC_KEY, reality, vless } from '../testing/core.js';
import { nodeTag } from './offered-inbound.js';

const parent = (tag: string, ...destinations: readonly (string | number)[]) =>
  vless({
    tag,
    settings: { decryption: 'none', fallbacks: destinations.map((dest) => ({ dest })) },
    streamSettings: reality(),
  });

const child = (change: Json) =>
  vless({ tag: 'child', port: undefined, streamSettings: { network: 'ws', wsSettings: { path: '/c' } }, ...change });

const tags = (config: Json, ...fallbackTags: string[]) =>
  parseCoreConfig(config, { fallbackTags }).inbounds.map(({ tag }) => tag);

describe('fallback', () => {
  it('a fallback child is offered with the port and security of its parent, which is no longer offered itself', () => {
    const { inbounds } = parseCoreConfig(core(parent('in', '@c'), child({ listen: '@c' })), { fallbackTags: ['in'] });
    expect(inbounds.map(({ tag }) => tag)).toEqual(['child', 'child<=>in']);
    expect(inbounds[1]).toMatchObject({
      parent: 'in',
      isLocal: false,
      port: { original: 443 },
      protocol: 'vless',
      network: 'ws',
      path: '/c',
      security: 'reality',
      sni: ['a.example'],
      reality: { publicKey: PUBLIC_KEY },
      vision: false,
    });
    expect(inbounds[0]).toMatchObject({ parent: undefined, isLocal: true, port: undefined, security: 'none' });
  });

  it.each<[string | number, Json]>([
    [8443, { port: 8443 }],
    ['8443', { port: 8443 }],
    [8443, { port: '8443' }],
    ['127.0.0.1:8443', { port: 8443 }],
    ['[::1]:8443', { port: '8000-9000' }],
    ['/run/c.sock', { listen: '/run/c.sock,0666' }],
    ['@c', { listen: '@c' }],
  ])('a fallback to %j leads to the inbound %j', (dest, change) => {
    expect(tags(core(parent('in', dest), child(change)), 'in')).toEqual(['child', 'child<=>in']);
  });

  it.each<[string | number, Json]>([
    [8443, { port: 443 }],
    ['/run/c.sock', { listen: '/run/d.sock' }],
    ['serve-ws-none', { port: 8443 }],
    ['/run/c:8443', { port: 8443 }],
    [8443, { port: '1-8442,8444-9000' }],
    [8443, { listen: '@8443' }],
  ])('a fallback to %j does not lead to the inbound %j, and the parent is still offered', (dest, change) => {
    expect(tags(core(parent('in', dest), child(change)), 'in')).toEqual(['in', 'child']);
  });

  it.each([1, 65_535])('a fallback to the port %d leads there', (port) => {
    expect(tags(core(parent('in', port), child({ port })), 'in')).toEqual(['child', 'child<=>in']);
  });

  it('only parents that are named in the options offer their fallback children', () => {
    const config = core(parent('one', '@c'), parent('two', '@c'), child({ listen: '@c' }));
    expect(tags(config)).toEqual(['one', 'two', 'child']);
    expect(tags(config, 'two', 'unknown')).toEqual(['one', 'child', 'child<=>two']);
    expect(tags(config, 'one', 'two')).toEqual(['child', 'child<=>one', 'child<=>two']);
  });

  it('a hundred thousand fallback destinations are read within five seconds', () => {
    const destinations = Array.from({ length: 100_000 }, (_, index) => `away.example:${70_000 + index}`);
    const children = Array.from({ length: 3000 }, (_, index) => child({ tag: `c${index}`, port: 1000 + index }));
    expect(tags(core(parent('in', ...destinations), ...children), 'in')).toHaveLength(3001);
  }, 5_000);

  it('nodeTag returns the tag of the child for a tag `child<=>parent`', () => {
    expect(nodeTag('child<=>in')).toBe('child');
    expect(nodeTag('in')).toBe('in');
  });
});

describe('isLocal', () => {
  it.each<[string | undefined, boolean]>([
    [undefined, false],
    ['', false],
    ['0.0.0.0', false],
    ['::', false],
    ['12.7.0.1', false],
    ['192.0.2.1', false],
    ['127.0.0.1', true],
    ['127.1.2.3', true],
    ['::1', true],
    ['[::1]', true],
    ['localhost', true],
    ['/run/in.sock,0666', true],
    ['@in', true],
  ])('isLocal: an inbound that listens on %j can only be reached from its own machine: %j', (listen, isLocal) => {
    expect(parseCoreConfig(core(vless({ listen }))).inbounds[0]).toMatchObject({ isLocal });
  });
});
