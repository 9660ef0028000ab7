import { once } from 'node:events';
import type { SecureContextOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NodeClient, NodeTrust } from '../api/node-client.js';
import { createNodeClient } from '../client/create-node-client.js';
import { type Issued, issuedByAuthority, RSA, selfSigned } from '../testing/certificates.js';
import { failureOf } from '../testing/failure.js';
import { closedPort, TlsPeer } from '../testing/tls-peer.js';
import { fingerprintOf } from './fingerprint.js';

const API_KEY = 'key-that-must-not-leave';

describe.each(['grpc', 'rest'] as const)('the trust of the %s client', (transport) => {
  const opened: (() => Promise<void>)[] = [];
  let good: Issued & { ca: string };

  beforeAll(async () => {
    good = await issuedByAuthority({ names: ['127.0.0.1'] });
  });
  afterAll(() => Promise.all(opened.map((close) => close())));

  const open = (port: number, tls: NodeTrust, timeoutMs = 5_000): NodeClient => {
    const client = createNodeClient({ transport, host: '127.0.0.1', port, apiKey: API_KEY, tls, timeoutMs });
    opened.push(() => client.close());
    return client;
  };
  const peerWith = async (
    certificate: Issued,
    options?: SecureContextOptions,
  ): Promise<{ peer: TlsPeer; port: number }> => {
    const peer = new TlsPeer(certificate, options);
    opened.push(() => peer.close());
    return { peer, port: await peer.listen() };
  };
  /** The peer never answers: these tests check whether anything is sent to it. */
  const isTrusted = async (certificate: Issued, tls: NodeTrust): Promise<void> => {
    const { peer, port } = await peerWith(certificate);
    expect(await failureOf(open(port, tls, 500).info())).toMatchObject({ code: 'TIMEOUT' });
    expect(peer.handshaken).toBe(1);
    expect(Buffer.concat(peer.received).length).toBeGreaterThan(0);
  };
  const isRefused = async (certificate: Issued, tls: NodeTrust, why: string): Promise<void> => {
    const { peer, port } = await peerWith(certificate);
    const failure = await failureOf(open(port, tls).info());
    expect(failure).toMatchObject({ code: 'TLS_UNTRUSTED', retryable: false });
    // Node.js 24 appends a hint to the message.
    const said = failure.message.replace(/; if the root CA is installed locally, .*$/, '');
    expect(said).toBe(`127.0.0.1:${port} is not the node that we know: ${why}`);
    await peer.quiet();
    expect(peer.connections).toBeGreaterThan(0);
    expect(Buffer.concat(peer.received).toString('latin1')).toBe('');
  };

  it('a certificate of the given authority is trusted', () => isTrusted(good, { ca: good.ca }));

  it('a self-signed certificate is trusted as its own authority', async () => {
    const own = await selfSigned({ names: ['127.0.0.1'] });
    await isTrusted(own, { ca: own.cert });
  });

  it('a certificate for another name is refused, and nothing is sent', async () => {
    const other = await issuedByAuthority({ names: ['other.example'] });
    await isRefused(
      other,
      { ca: other.ca },
      "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
    );
  });

  it('a certificate of another authority is refused, and nothing is sent', async () => {
    const other = await issuedByAuthority({ names: ['127.0.0.1'] });
    await isRefused(good, { ca: other.ca }, 'unable to verify the first certificate');
  });

  it('a self-signed certificate is refused by the authorities of the system, and nothing is sent', async () => {
    await isRefused(await selfSigned({ names: ['127.0.0.1'] }), 'system', 'self-signed certificate');
  });

  it.each<[string, SecureContextOptions]>([
    ['TLS 1.2', { maxVersion: 'TLSv1.2', ciphers: 'DHE-RSA-AES128-GCM-SHA256', dhparam: 'auto' }],
    ['TLS 1.3', { minVersion: 'TLSv1.3', ecdhCurve: 'ffdhe8192' }],
  ])('security row 125: a group of %s that costs the client much is not offered', async (_, options) => {
    const own = await selfSigned({ names: ['127.0.0.1'], algorithm: RSA });
    const { peer, port } = await peerWith(own, options);
    const failure = await failureOf(open(port, { fingerprint256: fingerprintOf(own.cert) }).info());
    expect(failure).toMatchObject({ code: 'PROTOCOL', retryable: false });
    expect(failure.message).toMatch(new RegExp(`^127\\.0\\.0\\.1:${port} does not speak our TLS: .*handshake failure`));
    expect(peer.handshaken).toBe(0);
  });

  it('security row 125: a peer that asks for another handshake does not get it', async () => {
    const own = await selfSigned({ names: ['127.0.0.1'] });
    const { peer, port } = await peerWith(own, { maxVersion: 'TLSv1.2' });
    const call = failureOf(open(port, { fingerprint256: fingerprintOf(own.cert) }, 1_000).info());
    const socket = await peer.secured();
    socket.renegotiate({}, () => undefined);
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' });
    await call;
  });

  it('security row 130: a node with more certificates than it needs is refused, and not asked again for a while', async () => {
    const own = await selfSigned({ names: ['127.0.0.1'] });
    const cert = `${own.cert}\n${`${good.cert}\n`.repeat(40)}`;
    for (const tls of [{ ca: own.cert }, { fingerprint256: fingerprintOf(own.cert) }]) {
      const { peer, port } = await peerWith({ ...own, cert });
      const client = open(port, tls);
      for (let call = 0; call < 3; call += 1) {
        const { code, message } = await failureOf(client.info());
        expect([code, message]).toEqual([
          'TLS_UNTRUSTED',
          `127.0.0.1:${port} is not the node that we know: its certificates are longer than 12288 bytes, and it is connected to again in 5 minutes`,
        ]);
      }
      expect([peer.connections, peer.received]).toEqual([1, []]);
    }
  });

  it('a pinned certificate is trusted whatever its names, dates and issuer', async () => {
    const past = await selfSigned({ names: ['other.example'], notAfter: new Date('2021-01-01T00:00:00Z') });
    await isTrusted(past, { fingerprint256: fingerprintOf(past.cert).toLowerCase().replaceAll(':', '') });
    await isTrusted(good, { fingerprint256: fingerprintOf(good.cert) });
  });

  it('security row 19: a certificate other than the pinned one is refused, and nothing is sent', async () => {
    const own = await selfSigned({ names: ['127.0.0.1'] });
    const pin = fingerprintOf(good.cert);
    await isRefused(
      own,
      { fingerprint256: pin },
      `its certificate has the SHA-256 ${fingerprintOf(own.cert)}, expected ${pin}`,
    );
  });

  it('a certificate that a pinned authority has issued is refused: the pin applies to the leaf', async () => {
    const pin = fingerprintOf(good.ca);
    await isRefused(
      good,
      { fingerprint256: pin },
      `its certificate has the SHA-256 ${fingerprintOf(good.cert)}, expected ${pin}`,
    );
  });

  it('a certificate with the expected identity is trusted, whatever the host', async () => {
    const node = await issuedByAuthority({ names: ['other.example', 'urn:rampart:node:7'] });
    await isTrusted(node, { ca: node.ca, identity: 'urn:rampart:node:7' });
  });

  it('security row 19: a certificate of another node of the same authority is refused, and nothing is sent', async () => {
    const node = await issuedByAuthority({ names: ['127.0.0.1', 'urn:rampart:node:8'] });
    await isRefused(
      node,
      { ca: node.ca, identity: 'urn:rampart:node:7' },
      'its certificate is that of urn:rampart:node:8, expected urn:rampart:node:7',
    );
    await isRefused(
      { ...good },
      { ca: good.ca, identity: 'urn:rampart:node:7' },
      'its certificate is that of no node, expected urn:rampart:node:7',
    );
  });

  it('a certificate with the expected identity of another authority is refused, and nothing is sent', async () => {
    const names = ['127.0.0.1', 'urn:rampart:node:7'];
    const [node, other] = [await issuedByAuthority({ names }), await issuedByAuthority({ names })];
    const trust = { ca: other.ca, identity: 'urn:rampart:node:7' };
    await isRefused(node, trust, 'unable to verify the first certificate');
  });

  it('security row 9: with a given address, the certificate must still be valid for the host name', async () => {
    const named = await issuedByAuthority({ names: ['node.invalid'] });
    const { peer, port } = await peerWith(named);
    const options = { transport, host: 'node.invalid', address: '127.0.0.1', port, apiKey: API_KEY, timeoutMs: 500 };
    const client = (ca: string): NodeClient => {
      const made = createNodeClient({ ...options, tls: { ca } });
      opened.push(() => made.close());
      return made;
    };
    expect(await failureOf(client(named.ca).info())).toMatchObject({ code: 'TIMEOUT' });
    expect(Buffer.concat(peer.received).length).toBeGreaterThan(0);
    expect(peer.handshaken).toBe(1);

    const other = await peerWith(good);
    options.port = other.port;
    expect(await failureOf(client(good.ca).info())).toMatchObject({ code: 'TLS_UNTRUSTED' });
    await other.peer.quiet();
    expect(Buffer.concat(other.peer.received).toString('latin1')).toBe('');
  });

  it('a closed port is reported as UNREACHABLE', async () => {
    const port = await closedPort();
    const failure = await failureOf(open(port, { ca: good.ca }).info());
    expect(failure).toMatchObject({ code: 'UNREACHABLE', retryable: true });
    expect(failure.message).toBe(`cannot reach 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  it('a call ends by its timeout, its signal, and close()', async () => {
    const { port } = await peerWith(good);
    const client = open(port, { ca: good.ca });
    expect(await failureOf(client.info({ timeoutMs: 50 }))).toMatchObject({
      code: 'TIMEOUT',
      message: 'no answer within 50 ms',
    });
    expect(await failureOf(client.info({ signal: AbortSignal.abort() }))).toMatchObject({
      code: 'CANCELLED',
      message: 'cancelled by the caller',
    });
    const leaving = new AbortController();
    const cancelled = failureOf(client.stop({ signal: leaving.signal }));
    leaving.abort();
    expect(await cancelled).toMatchObject({ code: 'CANCELLED', message: 'cancelled by the caller' });
    const ended = failureOf(client.stop());
    await client.close();
    expect(await ended).toMatchObject({ code: 'CANCELLED', message: 'the client is closed' });
    expect(await failureOf(client.info())).toMatchObject({ code: 'CANCELLED', message: 'the client is closed' });
    const firstLine = (async () => {
      for await (const line of client.logs()) return line;
    })();
    expect(await failureOf(firstLine)).toMatchObject({ code: 'CANCELLED', message: 'the client is closed' });
  });
});
