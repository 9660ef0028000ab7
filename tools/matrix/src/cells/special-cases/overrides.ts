import type { Cell, Inbound, Json, Material } from '../cell.js';
import { type CaseOptions, type InboundPartNames, specialCase, withStream } from '../special-case.js';

const TCP: InboundPartNames = ['vless', 'tcp', 'tls'];

/**
 * Each host is bound to one inbound, but names the port of another and sets everything that this one needs: the cell passes
 * only if the host's settings override those of its own inbound.
 */
export function overrideCases(material: Material): Cell[] {
  const moved = (title: string, names: InboundPartNames, wanted: Json, host: Json, options: CaseOptions = {}) => {
    const needed = withStream(material, names, wanted);
    const inbounds = [withStream(material, names, {}), needed];
    return specialCase(material, title, names, { ...options, inbounds, host: { ...host, port: portOf(needed) } });
  };
  const { certificate, wildcard } = material;
  const elsewhere = { security: 'tls', tlsSettings: { certificates: [certificate] } };
  const below = () => withStream(material, TCP, { tlsSettings: { certificates: [wildcard] } });
  return [
    moved(
      'host sets path, host header and SNI: vless ws tls',
      ['vless', 'ws', 'tls'],
      { wsSettings: { path: '/host', host: 'host.example' }, tlsSettings: { certificates: [wildcard] } },
      { path: '/host', host: ['host.example'], sni: ['sub.t.example'] },
    ),
    moved(
      'host sets path and host header: vmess httpupgrade none',
      ['vmess', 'httpupgrade', 'none'],
      { httpupgradeSettings: { path: '/host', host: 'host.example' } },
      { path: '/host', host: ['host.example'] },
    ),
    moved(
      'host sets the service: trojan grpc tls',
      ['trojan', 'grpc', 'tls'],
      { grpcSettings: { serviceName: 'host' } },
      { path: 'host' },
    ),
    moved(
      'host sets path and host header: vmess tcp + http none',
      ['vmess', 'tcp + http', 'none'],
      { tcpSettings: { header: { type: 'http', request: { path: ['/host'] } } } },
      { path: '/host', host: ['host.example'] },
    ),
    moved(
      'host sets mode, path and host header: vless xhttp tls',
      ['vless', 'xhttp packet-up', 'tls'],
      { xhttpSettings: { path: '/host', host: 'host.example', mode: 'stream-one' } },
      {
        path: '/host',
        host: ['host.example'],
        transport_settings: { xhttp_settings: { mode: 'stream-one' } },
      },
      { lacks: { singBox: 'it has no xhttp' } },
    ),
    moved('host sets security tls: vless ws', ['vless', 'ws', 'none'], elsewhere, {
      security: 'tls',
      sni: ['t.example'],
    }),
    moved('host sets security none: vless ws', ['vless', 'ws', 'tls'], { security: 'none' }, { security: 'none' }),
    moved(
      'variables in the path: vless ws none',
      ['vless', 'ws', 'none'],
      { wsSettings: { path: '/vless/ws/plain' } },
      { path: '/{PROTOCOL}/{TRANSPORT}/{USERNAME}' },
    ),
    moved(
      'SNI as host header: vless ws tls',
      ['vless', 'ws', 'tls'],
      { wsSettings: { path: '/w s', host: 'sub.t.example' }, tlsSettings: { certificates: [wildcard] } },
      { sni: ['sub.t.example'], host: ['other.example'], use_sni_as_host: true },
    ),
    specialCase(material, 'a salt in the SNI of the certificate: vless tcp tls', TCP, { inbounds: [below()] }),
    specialCase(material, 'a salt in the SNI of the host: vless tcp tls', TCP, {
      inbounds: [below()],
      host: { sni: ['*.t.example'] },
    }),
    ...HEADED.map(([names, options]) =>
      specialCase(material, `headers and a random browser: ${names.join(' ')}`, names, {
        ...options,
        host: {
          http_headers: { 'X-Test': 'a, "b"; c', Host: 'ignored.example' },
          random_user_agent: true,
        },
      }),
    ),
  ];
}

const HEADED: readonly (readonly [InboundPartNames, CaseOptions])[] = [
  [['vless', 'ws', 'tls'], {}],
  [['vmess', 'httpupgrade', 'none'], {}],
  [['vless', 'grpc', 'tls'], {}],
  [['vmess', 'tcp + http', 'none'], {}],
  [['vless', 'xhttp stream-up', 'tls'], { lacks: { singBox: 'it has no xhttp' } }],
  [['vless', 'xhttp packet-up', 'reality'], { lacks: { singBox: 'it has no xhttp' } }],
];

const portOf = ({ config }: Inbound): unknown => config['port'];
