import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fingerprintOf, User } from '@rampart/node-client';
import { ALLOW_PRIVATE, eventually, freePort, TestAuthority } from '@rampart/testing';
import { enginePids } from './testing/engine-pids.js';
import { buildNode, NodeProgram } from './testing/nodes/node-program.js';
import { API_KEY } from './testing/nodes/running-node.js';

const MADE = /^Made a self-signed certificate\..+:\n-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/;

const first = ({ output }: NodeProgram): string => output.slice(0, output.indexOf('\n'));

describe('rampart-node', () => {
  let dataDir: string;
  const programs: NodeProgram[] = [];

  const run = (settings: Record<string, string>, ...args: string[]): NodeProgram => {
    const program = new NodeProgram(
      { RAMPART_NODE_DATA_DIR: dataDir, RAMPART_NODE_HOST: '127.0.0.1', ...settings },
      { args },
    );
    programs.push(program);
    return program;
  };

  /** Starts the node and opens a log stream over each transport. */
  const startWithLogs = async (program: NodeProgram) => {
    const grpc = await program.client('grpc');
    const rest = await program.client('rest');
    const inbound = { tag: 'in', listen: '127.0.0.1', port: await freePort(), protocol: 'vless' };
    const config = JSON.stringify({
      inbounds: [{ ...inbound, settings: { clients: [], decryption: 'none' } }],
      outbounds: [{ protocol: 'freedom', settings: ALLOW_PRIVATE }],
    });
    expect(await grpc.start({ config })).toMatchObject({ running: true });
    const opened: string[] = [];
    const logs = [grpc, rest].map(async (client) => {
      for await (const { detail } of client.logs({ resume: false })) opened.push(detail);
    });
    const ended = Promise.allSettled(logs).then(() => rest.close());
    await eventually(
      'both log streams are open',
      (saw) => saw(opened).filter((line) => line.startsWith('Xray')).length >= 2,
    );
    return { grpc, ended };
  };
  /** The exit code after SIGTERM, which must come in less than 8 s. */
  const endsWithin = async (program: NodeProgram): Promise<number | null> => {
    const start = performance.now();
    const code = await program.exit('SIGTERM');
    expect(performance.now() - start).toBeLessThan(8_000);
    return code;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-main-'));
    await buildNode();
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.exit('SIGKILL')));
    await rm(dataDir, { recursive: true, force: true });
  });

  it('--help explains its settings', async () => {
    const program = run({}, '--help');
    expect(await program.exit()).toBe(0);
    expect(program.output).toMatch(/^Usage: rampart-node \[--help\]\n/);
    expect(program.output).toContain('  RAMPART_NODE_PORT             port for REST and gRPC (default: 62050)\n');
  });

  it('lists all problems of its settings, and starts nothing', async () => {
    const program = run({ RAMPART_NODE_PORT: 'http' });
    expect(await program.exit()).toBe(1);
    expect(program.output).toBe(
      'The settings are not right:\n' +
        '  RAMPART_API_KEY is required without RAMPART_ENROLMENT, which "rampart node add NAME" of management prints\n' +
        '  RAMPART_NODE_PORT must be an integer from 0 to 65535\n',
    );
  });

  it('names a port in use and its setting in one line', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const program = run({ RAMPART_API_KEY: API_KEY, RAMPART_NODE_PORT: String(port) });
    const code = await program.exit();
    server.close();
    expect(code).toBe(1);
    expect(JSON.parse(first(program)).message).toMatch(MADE);
    expect(program.output.slice(first(program).length + 1)).toBe(
      `Port ${port} on 127.0.0.1 is taken by another program: set RAMPART_NODE_PORT to a free one.\n`,
    );
  });

  it('serves until SIGTERM with open log streams, and leaves nothing behind', async () => {
    const port = await freePort();
    const settings = { RAMPART_API_KEY: API_KEY, RAMPART_NODE_PORT: String(port) };
    const program = run(settings);
    const { port: shown, fingerprint256: fingerprint } = await program.ready();
    expect(shown).toBe(port);
    // There is one line: the certificate was created and shown by the start before.
    expect(program.output.trimEnd().split('\n')).toHaveLength(1);
    const kept = await readFile(join(dataDir, 'tls/certificate.pem'), 'utf8');
    expect(fingerprint).toBe(fingerprintOf(kept));
    const { grpc, ended } = await startWithLogs(program);
    expect(await enginePids(dataDir)).toHaveLength(1);

    expect(await endsWithin(program)).toBe(0);
    await ended;
    await grpc.close();
    expect(await enginePids(dataDir)).toEqual([]);
    expect(program.output).not.toContain(API_KEY);
    expect(program.output).not.toContain('PRIVATE KEY');

    const again = run(settings);
    expect((await again.ready()).fingerprint256).toBe(fingerprint);
    expect(await again.exit('SIGINT')).toBe(0);
  });

  it('ends in time with a hung engine, waiting calls and open log streams', async () => {
    const program = run({ RAMPART_API_KEY: API_KEY, RAMPART_NODE_PORT: String(await freePort()) });
    const { grpc, ended } = await startWithLogs(program);
    const [pid = 0] = await enginePids(dataDir);
    process.kill(pid, 'SIGSTOP');
    const email = '1.ann';
    const proxies = { vless: { id: '11111111-1111-4111-8111-111111111111' } };
    const waiting = [
      grpc.syncUser([User.fromPartial({ email, proxies, inbounds: ['in'] })]),
      grpc.collectTraffic({}),
      grpc.backendStats(),
    ];
    const settled = Promise.allSettled(waiting);
    await eventually('the change is on its way', async (saw) => saw(await grpc.info()).usersCount === 1n);

    expect(await endsWithin(program)).toBe(0);
    await ended;
    await settled;
    await grpc.close();
    expect(await enginePids(dataDir)).toEqual([]);
  });

  it('ends with exit code 76 when another node takes over its engine', async () => {
    const settings = { RAMPART_API_KEY: API_KEY, RAMPART_NODE_KEEP_SECONDS: '60' };
    const program = run({ ...settings, RAMPART_NODE_PORT: String(await freePort()) });
    const { grpc, ended } = await startWithLogs(program);
    // What compiles a configuration runs the engine's program too, for a moment.
    const engines = await eventually('only the engine is left', async () => {
      const pids = await enginePids(dataDir);
      return pids.length === 1 && pids;
    });
    const next = run({ ...settings, RAMPART_NODE_PORT: '0', RAMPART_NODE_TAKE_OVER: 'true' });
    expect(await program.exit()).toBe(76);
    await ended;
    await grpc.close();
    expect(program.output).toContain('Another node takes over: this one ends, and leaves it the engine');
    const client = await next.client();
    await eventually('the next node runs the session', async (saw) => saw(await client.info()).running);
    expect(await enginePids(dataDir)).toEqual(engines);
    await client.close();
    expect(await next.exit('SIGINT')).toBe(0);
    expect(await enginePids(dataDir)).toEqual([]);
  });

  it('uses renewed certificate files without a restart, and cuts no connection', async () => {
    const authority = await TestAuthority.create();
    const folder = await mkdtemp(join(dataDir, 'certificates-'));
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    const renew = async () => {
      const { certificate, key } = await authority.issue(['127.0.0.1']);
      // Certificate tools do it so: each new file takes the place of the old one.
      for (const [path, text] of [
        [files.cert, certificate],
        [files.key, key],
      ] as const) {
        await writeFile(`${path}.new`, text);
        await rename(`${path}.new`, path);
      }
      return fingerprintOf(certificate);
    };
    const before = await renew();
    const program = run({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_PORT: String(await freePort()) },
      ...{ RAMPART_NODE_TLS_CERT: files.cert, RAMPART_NODE_TLS_KEY: files.key },
    });
    const { port, fingerprint256 } = await program.ready();
    expect(fingerprint256).toBe(before);
    const shown = async () => {
      const socket = tls.connect({ host: '127.0.0.1', port, ca: authority.pem });
      await once(socket, 'secureConnect');
      return socket;
    };
    const open = await shown();
    const after = await renew();
    await program.says(new RegExp(`The certificate has changed: new connections get the one with SHA-256 ${after}\\.`));
    const renewed = await shown();
    expect(renewed.getPeerCertificate().fingerprint256).toBe(after);
    open.write(`GET /info HTTP/1.1\r\nhost: node\r\nx-api-key: ${API_KEY}\r\n\r\n`);
    expect(String((await once(open, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    for (const socket of [open, renewed]) socket.destroy();
    expect(await program.exit('SIGTERM')).toBe(0);
  });

  it('says which limit closes connections: all sockets, and those of one address', async () => {
    const [own] = Object.values(networkInterfaces())
      .flatMap((addresses = []) => addresses)
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => address);
    // Loopback is exempt from the limit for each address.
    const limits = { RAMPART_NODE_MAX_SOCKETS: '16', ...(own && { RAMPART_NODE_MAX_PER_ADDRESS: '3' }) };
    const program = run({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_PORT: String(await freePort()), RAMPART_NODE_HOST: '0.0.0.0' },
      ...limits,
    });
    const port = Number((await program.says(/Ready for REST and gRPC on 0\.0\.0\.0:(\d+)/))[1]);
    const sockets: Socket[] = [];
    const flood = (host: string, count: number) => {
      for (let one = 0; one < count; one += 1) sockets.push(connect(port, host).on('error', () => undefined));
    };
    if (own !== undefined) {
      flood(own, 8);
      await program.says(
        / has 3 connections open: the oldest is closed for each new one\. None of them has shown the key: block that address if management is not there, or raise RAMPART_NODE_MAX_PER_ADDRESS\./,
      );
    }
    flood('127.0.0.1', 24);
    await program.says(
      /All 16 sockets are in use, most of them by 127\.0\.0\.0\/24 \(\d+\): connections are closed\. See who is connected, or raise RAMPART_NODE_MAX_SOCKETS\./,
    );
    for (const socket of sockets) socket.destroy();
    expect(await program.exit('SIGTERM')).toBe(0);
  });
});
