import { describe, expect, it } from '@jest/globals';
import { allCells } from './cells/cells.js';
import { NO_MATERIAL } from './material.js';

/** What went wrong in other systems (shared/field/clients.md §3.4, panel-reference.md §5.12): the cells that show it. */
const SEEDS: Readonly<Record<string, readonly string[]>> = {
  'a link has a flow that the node does not have': [
    'vless vision tcp reality',
    'a user with vision, where it does not work: vless ws tls',
  ],
  'xhttp hosts are missing in mihomo': ['vless xhttp auto reality'],
  'Xray refuses allowInsecure': ['pin, an authority that nobody knows: vless tcp tls'],
  'REALITY locks out other clients by their version': ['REALITY open to clients of 1.0.0: vless tcp'],
  'a blank becomes a plus': ['vless ws tls'],
  'the masks of a link are mangled': ['vmess kcp header-wechat none'],
  'trojan wants sni, vless servername': ['trojan tcp tls', 'vless tcp tls'],
  'settings of xhttp and xmux have other names in mihomo': [
    'xhttp: settings of the host',
    'xhttp: padding of the server',
  ],
  'YAML reads a short id as a number': ['vless tcp reality, short id 2351e1', 'vless tcp reality, empty short id'],
  'two proxies have one name': ['remark of another host'],
  'IPv6 has no brackets in links': ['IPv6 [::1]: vless tcp reality', 'IPv6 ::1: vless ws tls'],
  'a user of Shadowsocks 2022 is in base64': ['shadowsocks 2022-blake3-aes-128-gcm tcp none'],
  'xhttp has no mode in its extra settings': ['vless xhttp packet-up tls'],
  'Clash takes a remark for something else': ['remark null', 'remark - [list]: {{map}} !tag *alias |'],
  'the http header of Clash has no host': ['vmess tcp + http none'],
  'REALITY has no fingerprint': ['vless tcp reality'],
  'ALPN is a list': ['ALPN that the host sets: vless tcp tls'],
  'early data stays in the path': ['vless ws ?ed=2048 tls'],
  'a fallback child has no port': ['fallback over a socket: vless tls → vless xhttp'],
  'the ECH list is not passed on': ['ECH: vless tcp tls'],
  'the way to dial is never made': ['fragment tlshello: vless tcp tls'],
  'mux is written without enabled': ['mux: vless tcp none'],
};

const names = new Set(allCells(NO_MATERIAL).map(({ name }) => name));

describe('the matrix has cells that show when', () => {
  it.each(Object.entries(SEEDS))('%s', (_, cells) => {
    expect(cells.filter((name) => !names.has(name))).toEqual([]);
  });
});
