import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '../parse-core-config.js';
import { core, type Json, vless } from '../testing/core.js';
import { refusal } from '../testing/refusal.js';
import type { TransportFields } from './offered-inbound.js';

const http = (request: Json) => ({ header: { type: 'http', request } });

describe('transport', () => {
  it.each<[string, Json, Partial<TransportFields>]>([
    ['tcp', {}, { network: 'tcp', headerType: '' }],
    ['raw', { network: 'raw', rawSettings: { header: { type: 'none' } } }, { network: 'tcp', headerType: '' }],
    [
      'tcp with the http header',
      { network: 'tcp', tcpSettings: http({ path: ['/a', '/b'], headers: { Host: ['x.example', 'y.example'] } }) },
      { network: 'tcp', headerType: 'http', path: '/a', host: ['x.example', 'y.example'] },
    ],
    [
      'ws with a host',
      { network: 'ws', wsSettings: { path: '/ws?ed=2048', host: 'x.example', headers: { Host: 'y.example' } } },
      { network: 'ws', path: '/ws?ed=2048', host: ['x.example'] },
    ],
    [
      'websocket with a host header',
      { network: 'WebSocket', wsSettings: { path: '/ws', headers: { Host: 'y.example' } } },
      { network: 'ws', path: '/ws', host: ['y.example'] },
    ],
    [
      'grpc',
      { network: 'grpc', grpcSettings: { serviceName: 'my/svc', authority: 'x.example' } },
      { network: 'grpc', path: 'my/svc', host: ['x.example'], mode: 'gun' },
    ],
    [
      'gun',
      { network: 'gun', gunSettings: { serviceName: 'svc', multiMode: true } },
      { network: 'grpc', path: 'svc', host: [], mode: 'multi' },
    ],
    [
      'httpupgrade',
      { network: 'httpupgrade', httpupgradeSettings: { path: '/up', host: 'x.example' } },
      { network: 'httpupgrade', path: '/up', host: ['x.example'] },
    ],
    ['xhttp', { network: 'xhttp' }, { network: 'xhttp', path: '', host: [], mode: 'auto', extra: {} }],
    [
      'splithttp with settings of its own',
      {
        network: 'splithttp',
        splithttpSettings: {
          path: '/x',
          host: 'x.example',
          mode: 'stream-up',
          xPaddingBytes: '10-20',
          noSSEHeader: true,
        },
      },
      { network: 'xhttp', path: '/x', host: ['x.example'], mode: 'stream-up', extra: { xPaddingBytes: '10-20' } },
    ],
    [
      'xhttp with extra settings, which alone count then',
      {
        network: 'xhttp',
        xhttpSettings: { xPaddingBytes: '10-20', extra: { scMaxEachPostBytes: 5, scMaxBufferedPosts: 30 } },
      },
      { network: 'xhttp', mode: 'auto', extra: { scMaxEachPostBytes: 5 } },
    ],
    ['kcp', { network: 'mkcp', kcpSettings: { mtu: 1400 } }, { network: 'kcp', path: '', removed: undefined }],
    [
      'kcp with a seed',
      { network: 'kcp', kcpSettings: { seed: 's' } },
      { network: 'kcp', path: 's', removed: 'the engine replaced "seed" of kcp by finalmask' },
    ],
    [
      'kcp with a header',
      { network: 'kcp', kcpSettings: { header: { type: 'srtp' } } },
      { network: 'kcp', removed: 'the engine replaced "header" of kcp by finalmask' },
    ],
    [
      'quic',
      { network: 'quic', quicSettings: { key: 'k' } },
      { network: 'quic', path: 'k', removed: 'the engine replaced quic by xhttp (stream-one over h3)' },
    ],
    [
      'h2 with a list of hosts',
      { network: 'h2', httpSettings: { path: '/h', host: ['x.example', 'y.example'] } },
      {
        network: 'h2',
        path: '/h',
        host: ['x.example', 'y.example'],
        removed: 'the engine replaced h2 by xhttp (stream-one)',
      },
    ],
  ])('the transport %s of an inbound is offered', (_, streamSettings, expected) => {
    expect(parseCoreConfig(core(vless({ streamSettings }))).inbounds[0]).toMatchObject(expected);
  });

  const list = 'Settings of in for path and host must be list, not str';
  const text = 'Settings for path and host must be str, not list (inbound in)';
  it.each<[Json, string, string]>([
    [{ network: 'tcp', tcpSettings: http({ path: '/a' }) }, 'tcpSettings.header.request.path', list],
    [
      { network: 'raw', rawSettings: http({ headers: { Host: 'x.example' } }) },
      'rawSettings.header.request.headers.Host',
      list,
    ],
    [{ network: 'ws', wsSettings: { path: ['/a'] } }, 'wsSettings.path', text],
    [{ network: 'ws', wsSettings: { host: ['x.example'] } }, 'wsSettings.host', text],
    [{ network: 'ws', wsSettings: { headers: { Host: ['x.example'] } } }, 'wsSettings.headers.Host', text],
    [
      { network: 'domainsocket' },
      'network',
      'inbounds[0].streamSettings.network must be one of tcp, raw, ws, websocket, grpc, gun, httpupgrade, xhttp, ' +
        'splithttp, kcp, mkcp, quic, http, h2, h3',
    ],
    [
      { network: 'xhttp', xhttpSettings: { mode: 'stream-two' } },
      'xhttpSettings.mode',
      'inbounds[0].streamSettings.xhttpSettings.mode must be one of auto, packet-up, stream-up, stream-one',
    ],
    [
      { tcpSettings: { header: { type: 'srtp' } } },
      'tcpSettings.header.type',
      'inbounds[0].streamSettings.tcpSettings.header.type must be none or http',
    ],
    [
      { network: 'grpc', grpcSettings: { serviceName: 7 } },
      'grpcSettings.serviceName',
      'inbounds[0].streamSettings.grpcSettings.serviceName must be a string',
    ],
  ])('the transport %j of an inbound is refused', (streamSettings, path, message) => {
    expect(refusal(core(vless({ streamSettings })))).toEqual({ message, path: `inbounds[0].streamSettings.${path}` });
  });
});
