import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  type EngineClient,
  enginePath,
  freePort,
  type LocalWeb,
  type SilentServer,
  startEngineServer,
  startLocalWeb,
  startSilentServer,
  TestAuthority,
} from '@rampart/testing';
import { addressRule, diagnose, type ProbedHost, type ProbeMachine, runProbe } from './index.js';

jest.setTimeout(60_000);

const ID = '6d6f4ad1-6b52-4b3c-9a3e-0d1f6ad2a001';
const PASSWORD = 'a trojan password';
const BYTES = 1024 * 1024;

/** A pair of X25519 keys as the engine writes them. */
function x25519() {
  const { d = '', x = '' } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  return { privateKey: d, publicKey: x };
}

const [keys, otherKeys] = [x25519(), x25519()];
let machine: ProbeMachine;
let web: LocalWeb;
let server: Pick<EngineClient, 'close'>;
let silent: SilentServer;
let ports: Record<'good' | 'expired' | 'target' | 'reality' | 'plain' | 'closed', number>;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'rampart-probe-'));
  const authority = await TestAuthority.create();
  await writeFile(join(directory, 'ca.pem'), authority.pem);
  machine = {
    command: [enginePath()],
    environment: { SSL_CERT_FILE: join(directory, 'ca.pem') },
    directory,
    isAllowed: addressRule(['127.0.0.0/8']),
    resolve: async (name) => [{ 'good.example': '127.0.0.1' }[name] ?? name],
  };
  [web, silent] = await Promise.all([startLocalWeb('x'.repeat(BYTES)), startSilentServer()]);
  const [good, expired, target, reality, plain, closed] = await Promise.all(Array.from({ length: 6 }, freePort));
  ports = { good: good!, expired: expired!, target: target!, reality: reality!, plain: plain!, closed: closed! };
  const pair = await authority.issue(['good.example']);
  const ended = await authority.issue(['good.example'], new Date('2021-01-01T00:00:00Z'));
  const tls = ({ certificate, key }: typeof pair) => ({
    security: 'tls',
    tlsSettings: { certificates: [{ certificate: certificate.split('\n'), key: key.split('\n') }] },
  });
  const vless = (port: number, streamSettings: object) => ({
    ...{ listen: '127.0.0.1', port, protocol: 'vless', streamSettings },
    settings: { clients: [{ id: ID, email: 'a' }], decryption: 'none' },
  });
  const realitySettings = {
    ...{ target: `127.0.0.1:${target}`, serverNames: ['good.example'], shortIds: ['ab'] },
    privateKey: keys.privateKey,
  };
  const trojan = { clients: [{ password: PASSWORD, email: 'a' }] };
  server = await startEngineServer([
    vless(ports.good, { network: 'ws', wsSettings: { path: '/w' }, ...tls(pair) }),
    vless(ports.expired, { network: 'ws', wsSettings: { path: '/w' }, ...tls(ended) }),
    vless(ports.target, { network: 'tcp', ...tls(pair) }),
    vless(ports.reality, { network: 'tcp', security: 'reality', realitySettings }),
    { listen: '127.0.0.1', port: ports.plain, protocol: 'trojan', settings: trojan } as { port: number },
  ]);
});
afterAll(async () => {
  await server?.close();
  await web?.close();
  silent?.close();
  await rm(machine.directory, { recursive: true, force: true });
});

const vless = (port: number, streamSettings: object, address = 'good.example') => ({
  ...{ tag: 'proxy', protocol: 'vless' },
  settings: { vnext: [{ address, port, users: [{ id: ID, encryption: 'none' }] }] },
  streamSettings,
});
const wsTls = (change: object = {}, path = '/w') => ({
  ...{ network: 'ws', wsSettings: { path }, security: 'tls' },
  tlsSettings: { serverName: 'good.example', ...change },
});
const reality = (publicKey: string, change: object = {}) => ({
  ...{ network: 'tcp', security: 'reality' },
  realitySettings: { serverName: 'good.example', fingerprint: 'chrome', publicKey, shortId: 'ab', ...change },
});
const trojan = (password: string) => ({
  ...{ tag: 'proxy', protocol: 'trojan', streamSettings: { network: 'tcp', security: 'none' } },
  settings: { servers: [{ address: 'good.example', port: ports.plain, password }] },
});

async function probe(outbound: object | object[], { timeoutMs = 15_000, url = web.url } = {}) {
  const directory = await mkdtemp(join(machine.directory, 'probe-'));
  const result = await runProbe(
    { outbounds: JSON.stringify([outbound].flat()), url, timeoutMs, maxBytes: BYTES },
    { ...machine, directory },
  );
  const { vnext, servers } = Object([outbound].flat()[0]).settings ?? {};
  const { address, port } = [vnext, servers].flat().find((entry) => entry !== undefined) ?? { address: '', port: 0 };
  const host: ProbedHost = { address, port, serverName: 'good.example', security: 'tls', url, prober: 'p' };
  return { result, problem: diagnose(result, host)?.problem };
}

const BLOCKED = 'a blocked address';
/** Hosts with a fault, and what a probe finds. */
const FAULTS: readonly [string, () => object, { stage: string; problem: string; said: RegExp }][] = [
  [
    'a closed port',
    () => vless(ports.closed, wsTls()),
    { stage: 'handshake', problem: 'closed_port', said: /connection refused/ },
  ],
  [
    'a wrong SNI',
    () => vless(ports.good, wsTls({ serverName: 'other.example' })),
    {
      stage: 'handshake',
      problem: 'wrong_server_name',
      said: /certificate is valid for good\.example, not other\.example/,
    },
  ],
  [
    'a wrong REALITY key',
    () => vless(ports.reality, reality(otherKeys.publicKey)),
    { stage: 'handshake', problem: 'wrong_key', said: /REALITY/ },
  ],
  [
    'a wrong REALITY server name',
    () => vless(ports.reality, reality(keys.publicKey, { serverName: 'other.example' })),
    { stage: 'handshake', problem: 'wrong_server_name', said: /certificate is valid for good\.example/ },
  ],
  [
    'an expired certificate',
    () => vless(ports.expired, wsTls()),
    { stage: 'handshake', problem: 'expired_certificate', said: /certificate has expired or is not yet valid/ },
  ],
  [
    'a wrong path',
    () => vless(ports.good, wsTls({}, '/other')),
    { stage: 'handshake', problem: 'wrong_path', said: /404|bad handshake/ },
  ],
  ['a wrong password', () => trojan('another password'), { stage: 'answer', problem: 'no_answer', said: /./ }],
];
/** Their probes, each of which waits for seconds: they are made at the same time. */
const probesOfFaults = new Map<string, ReturnType<typeof probe>>();

describe(runProbe, () => {
  beforeAll(() => {
    for (const [fault, outbound] of FAULTS) probesOfFaults.set(fault, probe(outbound()));
    probesOfFaults.set(BLOCKED, probe(vless(silent.port, wsTls()), { timeoutMs: 3_000 }));
    // The test of a fault tells how its probe has failed.
    for (const made of probesOfFaults.values()) made.catch(() => undefined);
  });
  const probeOf = async (fault: string) => (await probesOfFaults.get(fault)) as Awaited<ReturnType<typeof probe>>;

  it.each<[string, () => object]>([
    ['VLESS over websocket and TLS', () => vless(ports.good, wsTls())],
    [
      'VLESS over websocket and TLS whose name is that of the address',
      () => vless(ports.good, wsTls({ serverName: '' })),
    ],
    ['VLESS over REALITY', () => vless(ports.reality, reality(keys.publicKey))],
    ['Trojan', () => trojan(PASSWORD)],
  ])('a good host works: %s', async (_, outbound) => {
    const { result, problem } = await probe(outbound());
    expect({ ...result, problem }).toEqual({
      ...{ stage: 'done', error: '', address: '127.0.0.1', httpStatus: 200, bytes: BYTES, problem: undefined },
      ...{ handshakeMs: expect.any(Number), firstByteMs: expect.any(Number), bytesPerSecond: expect.any(Number) },
    });
    expect(result.handshakeMs).toBeGreaterThan(0);
    expect(result.firstByteMs).toBeGreaterThanOrEqual(result.handshakeMs);
    expect(result.bytesPerSecond).toBeGreaterThan(0);
  });

  it('the mux of a host and the dialer that fragments its handshake are part of a probe', async () => {
    const settings = { fragment: { packets: 'tlshello', length: '100-200', interval: '1-2' } };
    const streamSettings = { ...wsTls(), sockopt: { dialerProxy: 'dialer' } };
    const proxy = { ...vless(ports.good, streamSettings), mux: { enabled: true, concurrency: 4 } };
    const { result } = await probe([proxy, { tag: 'dialer', protocol: 'freedom', settings }]);
    expect(result).toMatchObject({ stage: 'done', httpStatus: 200, bytes: BYTES });
  });

  it.each(FAULTS)('%s is told from a good host', async (fault, _outbound, { stage, problem, said }) => {
    const { result, ...found } = await probeOf(fault);
    expect({ ...found, stage: result.stage, error: result.error }).toEqual({
      ...{ stage, problem },
      error: expect.stringMatching(said),
    });
    expect(result).toMatchObject({ httpStatus: 0, bytes: 0, bytesPerSecond: 0 });
    expect(result.error).not.toContain(ID);
    expect(result.error).not.toContain('another password');
  });

  it('a blocked address, which answers nothing, is told from a closed port', async () => {
    const { result, problem } = await probeOf(BLOCKED);
    expect([result.stage, problem]).toEqual(['handshake', 'blocked_address']);
    expect(result.error).toMatch(
      /^no answer in time; the client last said: .*creating connection to tcp:127\.0\.0\.1:\d+/,
    );
  });

  it('a URL that answers with an error is no fault of the host', async () => {
    const { result } = await probe(trojan(PASSWORD));
    const failed = { ...result, httpStatus: 503 };
    const host: ProbedHost = { address: 'a', port: 1, serverName: '', security: 'none', url: 'http://u/', prober: 'p' };
    expect(diagnose(failed, host)).toEqual({
      problem: 'target_refused',
      advice: 'The host works, but http://u/ answered with an error. Set another URL in the settings of probes.',
    });
  });

  it('settings that the client refuses are told with its words', async () => {
    const { result, problem } = await probe(vless(ports.reality, reality('no key')));
    expect([result.stage, problem]).toEqual(['settings', 'settings_refused']);
    expect(result.error).toMatch(/invalid "?(password|publicKey)"?/i);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1 is no address of the public internet'],
    ['evil.example', 'evil.example (10.0.0.5) is no address of the public internet'],
    ['mixed.example', 'mixed.example (169.254.169.254) is no address of the public internet'],
  ])('a private network is not entered: %s', async (address, error) => {
    const names: Record<string, string[]> = {
      'evil.example': ['10.0.0.5'],
      'mixed.example': ['8.8.8.8', '169.254.169.254'],
    };
    const strict = { ...machine, isAllowed: addressRule([]), resolve: async (name: string) => names[name] ?? [name] };
    const outbounds = JSON.stringify([vless(443, wsTls(), address)]);
    const result = await runProbe({ outbounds, url: web.url, timeoutMs: 5_000, maxBytes: 1 }, strict);
    expect(result).toMatchObject({ stage: 'address', error });
  });

  it('security row 9: a name is resolved once, and the client connects to the address that was checked', async () => {
    const asked: string[] = [];
    const rebinding = async (name: string) => [asked.push(name) === 1 ? '127.0.0.1' : '10.0.0.1'];
    const outbounds = JSON.stringify([vless(ports.good, wsTls())]);
    const request = { outbounds, url: web.url, timeoutMs: 15_000, maxBytes: BYTES };
    expect(await runProbe(request, { ...machine, resolve: rebinding })).toMatchObject({ stage: 'done' });
    expect(asked).toEqual(['good.example']);
  });
});
