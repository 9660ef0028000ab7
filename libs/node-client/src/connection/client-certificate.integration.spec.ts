import { once } from 'node:events';
import http2 from 'node:http2';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { NodeClient, NodeTrust } from '../api/node-client.js';
import { createNodeClient } from '../client/create-node-client.js';
import { type Issued, issuedByAuthority, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';

const REFUSAL = 'the node refuses our client certificate, or the lack of one';

let certificate: Issued;
let ours: Issued & { ca: string };
let stranger: Issued;
beforeAll(async () => {
  certificate = await selfSigned({ names: ['127.0.0.1'] });
  ours = await issuedByAuthority({ names: ['management'] });
  stranger = await selfSigned({ names: ['management'] });
});

/** A peer that demands a client certificate, and answers every call with an empty message. */
describe.each([
  ['grpc', 'TLSv1.2'],
  ['grpc', 'TLSv1.3'],
  ['rest', 'TLSv1.2'],
  ['rest', 'TLSv1.3'],
] as const)('the client certificate of the %s client, over %s', (transport, maxVersion) => {
  let close: () => Promise<unknown> = () => Promise.resolve();
  let client: NodeClient | undefined;
  afterEach(async () => {
    await client?.close();
    await close();
  });

  async function open(tls: NodeTrust): Promise<NodeClient> {
    const demand = { ...certificate, ca: ours.ca, requestCert: true, rejectUnauthorized: true, maxVersion };
    const server =
      transport === 'grpc'
        ? http2.createSecureServer(demand)
        : https.createServer(demand, (_request, response) => response.end());
    server.on('stream', (stream: http2.ServerHttp2Stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(Buffer.from([0, 0, 0, 0, 0]));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    close = () => new Promise((resolve) => server.close(resolve));
    const { port } = server.address() as AddressInfo;
    const options = { transport, host: '127.0.0.1', port, apiKey: 'a-key-of-the-tests', tls, timeoutMs: 5_000 };
    client = createNodeClient(options);
    return client;
  }
  it('the client certificate is sent to the node', async () => {
    const { cert, key } = ours;
    const node = await open({ ca: certificate.cert, clientCertificate: { cert, key } });
    expect(await node.info()).toMatchObject({ running: false });
  });

  it('a missing client certificate is UNAUTHENTICATED', async () => {
    const failure = await failureOf((await open({ ca: certificate.cert })).info());
    // TLS before 1.3 has no alert for this.
    if (maxVersion === 'TLSv1.2') expect(failure).toMatchObject({ code: 'PROTOCOL', retryable: false });
    else expect(failure).toMatchObject({ code: 'UNAUTHENTICATED', message: REFUSAL, retryable: false });
  });

  it('a client certificate of another authority is refused: node:tls closes the connection without an alert', async () => {
    const failure = await failureOf((await open({ ca: certificate.cert, clientCertificate: stranger })).info());
    expect(failure).toMatchObject({ code: 'UNREACHABLE' });
  });
});

it('a client certificate and its key must be a pair', () => {
  const options = { transport: 'auto', host: 'node', port: 1, apiKey: 'a-key-of-the-tests' } as const;
  const refused = (clientCertificate: Issued): unknown => {
    try {
      return createNodeClient({ ...options, tls: { system: true, clientCertificate } });
    } catch (error) {
      return error;
    }
  };
  const { cert, key } = ours;
  expect(
    [
      { cert: 'x', key },
      { cert, key: 'x' },
      { cert, key: stranger.key },
    ].map(refused),
  ).toMatchObject([
    { code: 'INVALID_ARGUMENT', message: 'tls.clientCertificate.cert must be a certificate in PEM form' },
    { message: 'tls.clientCertificate.key must be a private key in PEM form, not encrypted' },
    { message: 'tls.clientCertificate.key belongs to another certificate' },
  ]);
});
