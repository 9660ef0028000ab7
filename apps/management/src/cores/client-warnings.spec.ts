import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import { clientWarnings } from './client-warnings.js';

const ws = { network: 'ws', wsSettings: { path: '/c' } };
const trojan = { protocol: 'trojan', streamSettings: ws };
const parentOver = (streamSettings: object) => ({
  tag: 'parent',
  protocol: 'vless',
  port: 443,
  settings: { decryption: 'none', fallbacks: [{ path: '/c', dest: 8443 }] },
  streamSettings,
});
const warnings = (parent: object, fallbackTags: string[] = []) =>
  clientWarnings(
    parseCoreConfig(
      {
        inbounds: [
          { protocol: 'socks', tag: 'socks', port: 1080 },
          { ...trojan, tag: 'behind a proxy', listen: '127.0.0.1', port: 8080 },
          { ...trojan, tag: 'child', port: 8443 },
          parent,
          { tag: 'x', protocol: 'vless', port: 444, streamSettings: { network: 'xhttp' } },
        ],
        outbounds: [{ tag: 'direct', protocol: 'freedom' }],
      },
      { fallbackTags },
    ),
  );
const told = (index: number, tag: string, client: string, kind: string) => ({
  path: `inbounds[${index}]`,
  code: 'left_out_for_client',
  message: `inbound ${tag} is left out for ${client} clients: they do not carry ${kind}`,
});
const X = told(4, 'x', 'sing-box', 'vless over xhttp without tls');

describe(clientWarnings, () => {
  it('clientWarnings warns of inbounds that clients connect to', () => {
    expect(warnings(parentOver({}))).toEqual([told(2, 'child', 'mihomo', 'trojan over ws without tls'), X]);
  });

  it('clientWarnings warns of an inbound behind a fallback as clients see it', () => {
    expect(warnings(parentOver({}), ['parent'])).toEqual([
      told(2, 'child<=>parent', 'mihomo', 'trojan over ws without tls'),
      X,
    ]);
    expect(warnings(parentOver({ security: 'tls' }), ['parent'])).toEqual([X]);
  });
});
