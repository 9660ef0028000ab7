import { describe, expect, it } from '@jest/globals';
import { completionsAt } from './completions';

/** The proposals at the `|` of a text. */
function at(text: string) {
  const offset = text.indexOf('|');
  const { from, proposals } = completionsAt(text.replace('|', ''), offset);
  return {
    typed: text.slice(from, offset),
    labels: proposals.map(({ label }) => label),
    inserts: proposals.map(({ insert }) => insert),
  };
}

describe(completionsAt.name, () => {
  it('proposes keys that the object does not have yet, with a value to begin with', () => {
    const { labels, inserts } = at('{ "inbounds": [{ "tag": "a", "port": 1, | }] }');
    expect(labels).toEqual(['listen', 'protocol', 'settings', 'streamSettings', 'sniffing']);
    expect(inserts).toContain('"protocol": "vless"');
  });

  it('proposes keys within quotes without a second quote', () => {
    const { typed, inserts } = at('{ "inbounds": [{ "streamSettings": { "realitySettings": { "pri|" } } }] }');
    expect(typed).toBe('"pri');
    expect(inserts).toContain('"privateKey');
  });

  it('proposes the values that the engine knows for a key', () => {
    expect(at('{ "inbounds": [{ "streamSettings": { "security": "|" } }] }').labels).toEqual([
      'none',
      'tls',
      'reality',
    ]);
    expect(at('{ "log": { "loglevel": | } }').inserts).toContain('"warning"');
  });

  it('proposes protocols only where the engine has them', () => {
    const both = ['vless', 'vmess', 'trojan', 'shadowsocks', 'socks', 'http'];
    expect(at('{ "inbounds": [{ "protocol": "|" }] }').labels).toEqual([...both, 'dokodemo-door']);
    const outbound = ['freedom', 'blackhole', 'dns', 'loopback', 'wireguard'];
    expect(at('{ "outbounds": [{ "protocol": "|" }] }').labels).toEqual([...outbound, ...both]);
  });

  it('proposes nothing where it knows nothing', () => {
    expect(at('{ "own": { | } }').labels).toEqual([]);
    expect(at('{ "inbounds": [{ "tag": "|" }] }').labels).toEqual([]);
  });
});
