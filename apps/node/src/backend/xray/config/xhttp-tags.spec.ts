import { describe, expect, it } from '@jest/globals';
import { planConfig } from './plan/engine-plan.js';

const certificates = [{ certificateFile: 'cert.pem', keyFile: 'key.pem' }];
const plan = (streamSettings: object) =>
  planConfig({
    text: JSON.stringify({ inbounds: [{ tag: 'in', port: 443, protocol: 'vless', streamSettings }] }),
    excludedInbounds: [],
  });
const tls = (network: string, alpn?: unknown) => ({
  ...{ network, security: 'TLS' },
  tlsSettings: { certificates, ...(alpn === undefined ? {} : { alpn }) },
});

describe(planConfig.name, () => {
  it.each([
    ['xhttp without TLS', { network: 'xhttp' }],
    ['xhttp by its old name', { network: 'SplitHTTP', security: 'none' }],
    ['xhttp with TLS for HTTP/1.1 alone', tls('xhttp', ['HTTP/1.1'])],
    ['xhttp with TLS for HTTP/1.1, as text', tls('xhttp', 'http/1.1')],
  ])('spreadingTags contains an inbound of %s', (_name, stream) => {
    expect([...plan(stream).spreadingTags]).toEqual(['in']);
  });

  it.each([
    ['xhttp with TLS, which is HTTP/2 for most', tls('xhttp')],
    ['xhttp with TLS for HTTP/2 too', tls('xhttp', ['h2', 'http/1.1'])],
    ['xhttp with TLS for HTTP/3', tls('xhttp', ['h3'])],
    ['xhttp with REALITY', { network: 'xhttp', security: 'reality' }],
  ])('spreadingTags does not contain an inbound of %s', (_name, stream) => {
    expect([...plan(stream).spreadingTags]).toEqual([]);
    expect([...plan(stream).streamingTags]).toEqual(['in']);
  });

  it.each([['ws'], ['raw'], ['grpc'], ['httpupgrade']])(
    'spreadingTags does not contain an inbound of %s',
    (network) => {
      expect([...plan({ network }).spreadingTags]).toEqual([]);
    },
  );
});
