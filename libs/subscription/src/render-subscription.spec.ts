import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import { compileHosts } from './compile/compile-hosts.js';
import type { Host } from './model/host.js';
import { renderSubscription, type Subscriber, type SubscriptionRequest } from './render-subscription.js';
import { TemplateCache } from './templates/template-cache.js';
import { host } from './testing/host.js';
import { CREDENTIALS } from './testing/user.js';

const { inbounds } = parseCoreConfig({
  inbounds: [
    { tag: 'in', protocol: 'vless', port: 443, streamSettings: { network: 'xhttp' } },
    { tag: 'trojan', protocol: 'trojan', port: 8443, streamSettings: { network: 'ws' } },
  ],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});
const INBOUNDS = new Map(inbounds.map((inbound) => [inbound.tag, inbound]));
const ALICE: Subscriber = {
  username: 'alice',
  status: 'active',
  usedTraffic: 0,
  dataLimit: 0,
  expire: new Date('2026-01-03T00:00:00Z'),
  onHoldExpireDuration: null,
  adminUsername: null,
  proxySettings: CREDENTIALS,
};
const HOSTS: readonly Partial<Host>[] = [
  { id: 1, remark: '{USERNAME} {DAYS_LEFT}' },
  { id: 2, remark: 'trojan', inboundTag: 'trojan', priority: 1 },
];

const render = (change: Partial<SubscriptionRequest> = {}, hosts = HOSTS) =>
  renderSubscription(
    { hosts: compileHosts(hosts.map(host), INBOUNDS), templates: new TemplateCache() },
    {
      subscriber: ALICE,
      format: 'links',
      inboundTags: new Set(INBOUNDS.keys()),
      server: { ipv4: '192.0.2.1' },
      random: () => 0,
      now: new Date('2026-01-01T12:00:00Z'),
      ...change,
    },
  );

const namesOf = (...asked: Parameters<typeof render>) => render(...asked).proxies.map(({ name }) => name);

describe(renderSubscription.name, () => {
  it('returns the document, its content type, the names of its proxies and the values of the variables', () => {
    const { body, contentType, proxies, values, leftOut } = render();
    expect(contentType).toBe('text/plain; charset=utf-8');
    expect(proxies.map(({ name }) => name)).toEqual(['alice 2', 'trojan']);
    expect(body.toString().split('\n')).toEqual([
      expect.stringMatching(/^vless:.*#alice%202$/),
      expect.stringMatching(/^trojan:.*#trojan$/),
    ]);
    expect([values.USERNAME, values.DAYS_LEFT, values.SERVER_IP]).toEqual(['alice', '2', '192.0.2.1']);
    expect(leftOut).toBe(0);
  });

  it('counts the proxies that the format cannot carry', () => {
    expect(render({ format: 'sing_box' })).toMatchObject({
      contentType: 'application/json; charset=utf-8',
      proxies: [{ name: 'alice 2' }, { name: 'trojan' }],
      leftOut: 1,
    });
  });

  it('shows hosts of the allowed inbounds only', () => {
    expect(namesOf({ inboundTags: new Set(['trojan']) })).toEqual(['trojan']);
  });

  it('shows hosts for other statuses only when every status is asked for', () => {
    const hosts: Partial<Host>[] = [{ remark: 'limited', status: ['limited'] }];
    expect(namesOf({}, hosts)).toEqual([]);
    expect(namesOf({ everyStatus: true }, hosts)).toEqual(['limited']);
  });

  it('shuffles the proxies when a random order is asked for', () => {
    const { proxies, body } = render({ randomizeOrder: true });
    expect(proxies.map(({ name }) => name)).toEqual(['trojan', 'alice 2']);
    expect(body.toString()).toMatch(/^trojan:.*\nvless:/);
  });

  it('reads a snapshot of plain frozen data', () => {
    const snapshot = compileHosts(HOSTS.map(host), INBOUNDS);
    expect([snapshot, snapshot.hosts, snapshot.hosts[0], snapshot.hostsById].every(Object.isFrozen)).toBe(true);
    expect(structuredClone(snapshot)).toEqual(snapshot);
  });
});
