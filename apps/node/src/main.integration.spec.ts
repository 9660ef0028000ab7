import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNodeClient, fingerprintOf } from '@rampart/node-client';
import { eventually, freePort } from '@rampart/testing';
import { enginePids } from './testing/engine-pids.js';
import { buildNode, NodeProgram } from './testing/node-program.js';
import { API_KEY } from './testing/running-node.js';

const MADE = /^Made a self-signed certificate\..+:\n-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\n$/;
const READY = /Ready for REST and gRPC on 127\.0\.0\.1:(\d+), certificate SHA-256 ([0-9A-F:]{95})/;

const first = ({ output }: NodeProgram): string => output.slice(0, output.indexOf('\n'));

describe('rampart-node', () => {
  let dataDir: string;
  const programs: NodeProgram[] = [];

  const run = (settings: Record<string, string>, ...args: string[]): NodeProgram => {
    const program = new NodeProgram(
      { RAMPART_NODE_DATA_DIR: dataDir, RAMPART_NODE_HOST: '127.0.0.1', ...settings },
      ...args,
    );
    programs.push(program);
    return program;
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-main-'));
    await buildNode();
  });
  afterAll(async () => {
    await Promise.all(programs.map((program) => program.exit('SIGKILL')));
    await rm(dataDir, { recursive: true, force: true });
  });

  it('explains its settings', async () => {
    const program = run({}, '--help');
    expect(await program.exit()).toBe(0);
    expect(program.output).toMatch(/^Usage: rampart-node \[--help\]\n/);
    expect(program.output).toContain('  RAMPART_NODE_PORT             port for REST and gRPC (default: 62050)\n');
  });

  it('lists what is wrong with its settings, and starts nothing', async () => {
    const program = run({ RAMPART_NODE_PORT: 'http' });
    expect(await program.exit()).toBe(1);
    expect(program.output).toBe(
      'The settings are not right:\n' +
        '  RAMPART_API_KEY is required\n' +
        '  RAMPART_NODE_PORT must be an integer from 0 to 65535\n',
    );
  });

  it('names a taken port and its setting, in one line', async () => {
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

  it('serves until it is told to end, with log streams open, and leaves nothing behind', async () => {
    const port = await freePort();
    const settings = { RAMPART_API_KEY: API_KEY, RAMPART_NODE_PORT: String(port) };
    const program = run(settings);
    const [, shown, fingerprint = ''] = await program.says(READY);
    expect(shown).toBe(String(port));
    // One line: the certificate was made, and shown, by the start before.
    expect(program.output.trimEnd().split('\n')).toHaveLength(1);
    const kept = await readFile(join(dataDir, 'tls/certificate.pem'), 'utf8');
    expect(fingerprint).toBe(fingerprintOf(kept));
    const clients = (['grpc', 'rest'] as const).map((transport) =>
      createNodeClient({ transport, host: '127.0.0.1', port, apiKey: API_KEY, tls: { fingerprint256: fingerprint } }),
    );
    const inbound = { tag: 'in', listen: '127.0.0.1', port: await freePort(), protocol: 'vless' };
    const config = JSON.stringify({
      inbounds: [{ ...inbound, settings: { clients: [], decryption: 'none' } }],
      outbounds: [{ protocol: 'freedom' }],
    });
    expect(await clients[0]?.start({ config })).toMatchObject({ running: true });
    expect(await enginePids(dataDir)).toHaveLength(1);
    const opened: string[] = [];
    const logs = clients.map(async (client) => {
      for await (const { detail } of client.logs({ resume: false })) opened.push(detail);
    });
    const ended = Promise.allSettled(logs);
    await eventually('both log streams are open', () => opened.filter((line) => line.startsWith('Xray')).length >= 2);

    const start = Date.now();
    expect(await program.exit('SIGTERM')).toBe(0);
    expect(Date.now() - start).toBeLessThan(8_000);
    await ended;
    await Promise.all(clients.map((client) => client.close()));
    expect(await enginePids(dataDir)).toEqual([]);
    expect(program.output).not.toContain(API_KEY);
    expect(program.output).not.toContain('PRIVATE KEY');

    const again = run(settings);
    expect((await again.says(READY))[2]).toBe(fingerprint);
    expect(await again.exit('SIGINT')).toBe(0);
  });
});
