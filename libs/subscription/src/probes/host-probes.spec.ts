import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import { compileHosts } from '../compile/compile-hosts.js';
import type { Host } from '../model/host.js';
import { host } from '../testing/host.js';
import { CREDENTIALS } from '../testing/user.js';
import { PROBE_CLIENTS } from './as-client.js';
import { hostProbes } from './host-probes.js';

const core = parseCoreConfig({
  inbounds: [
    { tag: 'in', port: 443, protocol: 'vless', settings: { decryption: 'none' }, streamSettings: { network: 'ws' } },
    { tag: 'x', port: 443, protocol: 'vless', settings: { decryption: 'none' }, streamSettings: { network: 'xhttp' } },
    { tag: 'many', port: '1000-1099', protocol: 'trojan' },
  ],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});
const inbounds = new Map(core.inbounds.map((inbound) => [inbound.tag, inbound]));
const subscriber = {
  ...{ username: 'probe', status: 'active' as const, usedTraffic: 0, dataLimit: 0, expire: null },
  ...{ onHoldExpireDuration: null, adminUsername: null, proxySettings: CREDENTIALS },
};

function probesOf(change: Partial<Host>, maxChoices = 12) {
  const hosts = compileHosts([host(change)], inbounds);
  const now = new Date('2026-01-01T00:00:00Z');
  return hostProbes(hosts, hosts.hosts[0]!, {
    ...{ subscriber, clients: PROBE_CLIENTS, maxChoices, server: {}, random: () => 0, now },
  });
}
const streamOf = (outbounds: string) => JSON.parse(outbounds)[0].streamSettings;

describe(hostProbes, () => {
  it('hostProbes has each choice of address, port and server name once', () => {
    const { probes, omitted } = probesOf({
      address: ['a', 'b'],
      sni: ['s', 't'],
      security: 'tls',
      fingerprint: 'firefox',
    });
    expect(omitted).toBe(0);
    expect(probes.map(({ address, serverName, port, clients }) => [address, serverName, port, clients])).toEqual([
      ['a', 's', 443, [...PROBE_CLIENTS]],
      ['b', 's', 443, [...PROBE_CLIENTS]],
      ['a', 't', 443, [...PROBE_CLIENTS]],
      ['b', 't', 443, [...PROBE_CLIENTS]],
    ]);
  });

  it('hostProbes keeps to its limit, and has different values as long as it can', () => {
    const { probes, omitted } = probesOf({ inboundTag: 'many', address: ['a', 'b'] }, 3);
    expect(omitted).toBe(197);
    expect(probes.map(({ address, port }) => [address, port])).toEqual([
      ['a', 1000],
      ['b', 1001],
      ['a', 1002],
    ]);
  });

  it('hostProbes has the fingerprint that each kind of client sends, where the host sets none', () => {
    const { probes } = probesOf({ security: 'tls' });
    expect(probes.map(({ clients, outbounds }) => [clients, streamOf(outbounds).tlsSettings.fingerprint])).toEqual([
      [['xray'], undefined],
      [['sing_box', 'clash_meta'], 'unsafe'],
    ]);
  });

  it('hostProbes has the mux, fragment and noise of Xray for Xray only', () => {
    const { probes } = probesOf({
      muxSettings: { xray: { enabled: true } },
      fragmentSettings: { xray: { packets: 'tlshello' } },
    });
    expect(probes.map(({ clients, outbounds }) => [clients, JSON.parse(outbounds).length])).toEqual([
      [['xray'], 2],
      [['sing_box', 'clash_meta'], 1],
    ]);
  });

  it('hostProbes names the clients that do not get a host, and those that Xray cannot imitate', () => {
    expect(probesOf({ inboundTag: 'x' })).toMatchObject({ leftOut: ['sing_box'], unlike: [] });
    expect(probesOf({ security: 'tls', allowInsecure: true })).toMatchObject({
      ...{ leftOut: [], unlike: ['sing_box', 'clash_meta'] },
      probes: [{ clients: ['xray'] }],
    });
  });
});
