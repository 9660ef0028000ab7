import { describe, expect, it } from '@jest/globals';
import { capabilitiesOf } from './capabilities.js';

describe(capabilitiesOf.name, () => {
  const LEAST = ['net_bind_service'];
  const ADMIN = ['net_bind_service', 'net_admin'];

  it.each([
    ['a TUN', { inbounds: [{ protocol: 'tun', settings: { name: 'xray0' } }] }],
    ['marked packets', { outbounds: [{ protocol: 'freedom', streamSettings: { sockopt: { mark: 255 } } }] }],
    ['a key in another case', { outbounds: [{ streamSettings: { SockOpt: { Mark: 255 } } }] }],
    ['a transparent proxy', { inbounds: [{ streamSettings: { sockopt: { tproxy: 'tproxy' } } }] }],
    ["WireGuard by the kernel's TUN", { outbounds: [{ protocol: 'wireguard', settings: { noKernelTun: false } }] }],
  ])('asks for net_admin too for %s', (_what, tree) => {
    expect(capabilitiesOf(tree)).toEqual(ADMIN);
  });

  it.each([
    ['an ordinary inbound', { inbounds: [{ protocol: 'vless', port: 443 }] }],
    ['options without effect', { outbounds: [{ streamSettings: { sockopt: { mark: 0, tproxy: 'off' } } }] }],
    ['a mark that is no socket option', { outbounds: [{ settings: { mark: 1 } }] }],
    ['WireGuard', { outbounds: [{ protocol: 'wireguard', settings: { noKernelTun: true } }] }],
    ['a tag of that name', { inbounds: [{ tag: 'tun', protocol: 'vless' }] }],
  ])('does not ask for net_admin for %s', (_what, tree) => {
    expect(capabilitiesOf(tree)).toEqual(LEAST);
  });
});
