import { describe, expect, it } from '@jest/globals';
import { parseLink } from '@rampart/testing';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { ResolvedProxy } from '../model/resolved-proxy.js';
import { uniqueNames } from '../model/unique-names.js';
import { anyProxies } from '../testing/any-proxy.js';
import { proxy, SHADOWSOCKS, tls } from '../testing/proxy.js';
import { renderText } from '../testing/render-text.js';
import type { SubscriptionFormat } from './subscription-format.js';

const GROUPS = ['selector', 'urltest', 'direct', 'block'];
const linkNames = (body: string): string[] =>
  body
    .split('\n')
    .filter(Boolean)
    .map((link) => parseLink(link).name);
const singBoxProxies = (body: string): { type: string; tag: string }[] =>
  JSON.parse(body).outbounds.filter(({ type }: { type: string }) => !GROUPS.includes(type));
const yamlNames = (body: string): string[] => parse(body).proxies.map(({ name }: { name: string }) => name);

/** The names of the entries of a document, found by a reader that is independent of our code. */
const READERS = new Map<SubscriptionFormat, (body: string) => string[]>([
  ['links', linkNames],
  ['links_base64', (body) => linkNames(Buffer.from(body, 'base64').toString())],
  ['xray', (body) => JSON.parse(body).map(({ remarks }: { remarks: string }) => remarks)],
  ['sing_box', (body) => singBoxProxies(body).map(({ tag }) => tag)],
  ['clash', yamlNames],
  ['clash_meta', yamlNames],
]);

/** Proxies with unique names, as they are when they are resolved. */
function named(proxies: readonly ResolvedProxy[]): ResolvedProxy[] {
  const nameOf = uniqueNames();
  return proxies.map((proxy) => ({ ...proxy, name: nameOf(proxy.name) }));
}

describe.each([...READERS])('a document of %s with arbitrary proxies', (format, namesIn) => {
  const render = (proxies: readonly ResolvedProxy[]) => renderText(format, proxies);

  it('a document can be parsed, has unique names, and counts the proxies that it leaves out', () => {
    fc.assert(
      fc.property(anyProxies.map(named), (proxies) => {
        const { body, leftOut } = render(proxies);
        const names = namesIn(body);
        expect(names.length + leftOut).toBe(proxies.length);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('a document leaves a proxy out or not regardless of the other proxies in it', () => {
    fc.assert(
      fc.property(anyProxies.map(named), (proxies) => {
        const alone = proxies.filter((proxy) => render([proxy]).leftOut === 0).length;
        expect(namesIn(render(proxies).body).length).toBe(alone);
      }),
    );
  });
});

const OUTLINE: readonly [SubscriptionFormat, (body: string) => string[]] = [
  'outline',
  (body) => [JSON.parse(body).tag],
];

describe.each([...READERS, OUTLINE])('a document of %s', (format, namesIn) => {
  const shadowsocks = (name: string) => proxy({ name, protocol: SHADOWSOCKS });

  it('security row 16: a document contains any remark unchanged, and nothing that the remark injects', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (text) => {
        // The suffix excludes names that a document uses itself.
        const name = `${text}\u2603`;
        expect(namesIn(renderText(format, [shadowsocks(name)]).body)).toEqual([name]);
      }),
    );
  });

  it('a document counts the proxies that its format cannot carry', () => {
    const lacking = { sing_box: 1, clash: 1, clash_meta: 1, outline: 1, links: 0, links_base64: 0, xray: 0 }[format];
    const proxies = [shadowsocks('a'), proxy({ protocol: SHADOWSOCKS, name: 'b', security: tls() })];
    expect(renderText(format, proxies).leftOut).toBe(lacking);
  });
});

describe.each([...READERS])('a long document of %s', (format, namesIn) => {
  it('a long document contains all of five thousand proxies (clients.md 56)', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `proxy ${at} ${'x'.repeat(50)}`);
    const proxies = names.map((name) => proxy({ name, protocol: SHADOWSOCKS }));
    expect(namesIn(renderText(format, proxies).body)).toEqual(names);
  });
});
