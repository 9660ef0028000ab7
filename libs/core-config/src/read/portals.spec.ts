import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from './json-cursor.js';
import { namesUsers, PortalRules, portalsOf, waysTo } from './portals.js';

const PORTAL = { tag: 'home', domain: 'Portal.test' };
const BALANCERS = [
  { tag: 'by selector', selector: ['other', 'ho'] },
  { tag: 'by fallback', selector: 'far', fallbackTag: 'home' },
  { tag: 'elsewhere', selector: ['homes', 'h0'], fallbackTag: 'far' },
  'no object',
];
const TREE: JsonObject = { routing: { balancers: BALANCERS } };
const rules = new PortalRules(TREE, PORTAL);
const toHome = (rule: JsonObject): JsonObject => ({ outboundTag: 'home', ...rule });

describe(portalsOf.name, () => {
  it('returns those with a tag and a domain', () => {
    const incomplete = [{ tag: 'a' }, { domain: 'a' }, { tag: '', domain: 'a' }, { tag: 'a', domain: '' }];
    const portals = [PORTAL, ...incomplete, { tag: 1, domain: 'a' }, { tag: 'a', domain: 1 }, null, 'a', []];
    expect(portalsOf({ reverse: { portals } })).toEqual([PORTAL]);
  });

  it.each([{}, { reverse: null }, { reverse: { portals: PORTAL } }, { reverse: [PORTAL] }])(
    'finds none in %j',
    (tree) => {
      expect(portalsOf(tree)).toEqual([]);
    },
  );
});

describe(waysTo.name, () => {
  it('has the tag, and the balancers that pick it by a prefix or as their fallback', () => {
    expect([...waysTo('home', TREE)]).toEqual(['home', 'by selector', 'by fallback']);
    expect([...waysTo('home', {})]).toEqual(['home']);
  });
});

describe(PortalRules.name, () => {
  it.each<[JsonObject, boolean]>([
    [{ outboundTag: 'home' }, true],
    [{ balancerTag: 'by fallback' }, true],
    [{ outboundTag: '', balancerTag: 'by selector' }, true],
    [{ outboundTag: 'far', balancerTag: 'by selector' }, false],
    [{ balancerTag: 'elsewhere' }, false],
    [{}, false],
    [toHome({ ip: null }), true],
    [toHome({ ip: ['10.0.0.0/8'] }), false],
    [toHome({ domain: [] }), true],
    [toHome({ domain: ['full:portal.test'] }), true],
    [toHome({ domain: ['full:PORTAL.TEST'] }), true],
    [toHome({ domain: ['full:test'] }), false],
    [toHome({ domain: ['domain:test'] }), true],
    [toHome({ domain: ['domain:portal.test'] }), true],
    [toHome({ domain: ['domain:ortal.test'] }), false],
    [toHome({ domain: ['rtal.t'] }), true],
    [toHome({ domain: ['keyword:rtal'] }), true],
    [toHome({ domain: ['other'] }), false],
    [toHome({ domain: ['other full:portal.test'] }), false],
    [toHome({ domain: ['other'], domains: ['regexp:.*'] }), true],
    [toHome({ domain: ['geosite:any'] }), true],
    [toHome({ domain: 'other, full:portal.test' }), true],
    [toHome({ domain: [7] }), true],
  ])('tells of the rule %j whether it takes connections to the domain into the portal: %s', (rule, admits) => {
    expect(rules.admits(rule)).toBe(admits);
  });

  it.each<[JsonObject, boolean]>([
    [{ domain: ['full:portal.test'], user: ['bridge'] }, true],
    [{ domain: ['domain:portal.test'], inboundTag: ['in'] }, true],
    [{ domain: ['other', 'FULL:portal.test'], inboundTag: 'in' }, true],
    [{ domain: ['full:portal.test'] }, false],
    [{ domain: ['full:portal.test'], user: [], inboundTag: [] }, false],
    [{ domain: ['portal.test'], user: ['bridge'] }, false],
    [{ domain: ['domain:test'], user: ['bridge'] }, false],
    [{ user: ['bridge'] }, false],
    [{ domain: ['full:portal.test'], user: ['bridge'], outboundTag: 'far' }, false],
  ])('tells of the rule %j whether it is for the bridge: %s', (rule, isForBridge) => {
    expect(rules.isForBridge(toHome(rule))).toBe(isForBridge);
  });
});

describe(namesUsers.name, () => {
  it.each<[JsonObject, boolean]>([
    [{ user: ['a'] }, true],
    [{ user: 'a' }, true],
    [{ user: [] }, false],
    [{}, false],
  ])('of %j: %s', (rule, named) => {
    expect(namesUsers(rule)).toBe(named);
  });
});
