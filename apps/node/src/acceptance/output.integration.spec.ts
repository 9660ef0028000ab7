import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type NodeClient, User } from '@rampart/node-client';
import { eventually, freePort } from '@rampart/testing';
import { enginePids } from '../testing/engine-pids.js';
import { buildNode, NodeProgram } from '../testing/nodes/node-program.js';
import { API_KEY } from '../testing/nodes/running-node.js';

// Three nodes start one after the other, which takes long where other test files use the processor too.
jest.setTimeout(90_000);

/** A server on the port, or undefined while another program has it. */
async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => server,
    () => undefined,
  );
}

describe('messages of the node', () => {
  let dataDir: string;
  let inbound: number;
  const opened: { close(): Promise<unknown> }[] = [];

  const connect = async (): Promise<{ program: NodeProgram; node: NodeClient }> => {
    const program = new NodeProgram({
      ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: dataDir },
      ...{ RAMPART_NODE_HOST: '127.0.0.1', RAMPART_NODE_PORT: String(await freePort()) },
    });
    opened.push({ close: () => program.exit('SIGKILL') });
    const node = await program.client();
    opened.push(node);
    return { program, node };
  };
  const config = (number: number) =>
    JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port: inbound, protocol: 'vless', settings: { decryption: 'none' } },
      ],
      outbounds: [{ tag: `direct-${number}`, protocol: 'freedom' }],
    });
  const users = [
    User.fromPartial({
      email: '1.ann',
      proxies: { vless: { id: '11111111-1111-4111-8111-111111111111' } },
      inbounds: ['vless'],
    }),
  ];
  const asStranger = async (stranger: NodeClient): Promise<void> => {
    opened.push(stranger);
    await stranger.info();
  };
  /**
   * The node's own lines on standard output, without the line about the kernel setting, which a machine sees only once.
   */
  const told = ({ output }: NodeProgram): string[] =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ context, message }) => context === 'Node' && !/certificate|tcp_migrate_req/.test(message))
      .map(({ level, message }) => `${level}: ${message}`);
  /** The output comes through a pipe, maybe after the answer of the call that caused it. */
  const received = (program: NodeProgram, text: string) =>
    eventually(`the output has "${text}"`, async (saw) => saw(program.output).includes(text));

  beforeAll(async () => {
    await buildNode();
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-output-'));
    inbound = await freePort();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((part) => part.close()));
  });
  afterAll(() => rm(dataDir, { recursive: true }));

  it('standard output has Start, take-over, the exit of an engine, a failed Start, Stop and a wrong key', async () => {
    const { program, node } = await connect();
    await node.start({ config: config(1), users });
    await node.start({ config: config(1), users });
    await node.start({ config: config(2), users });
    await expect(node.start({ config: '{' })).rejects.toThrow();
    await eventually('one engine is left', async (saw) => saw(await enginePids(dataDir)).length === 1);
    const [pid = 0] = await enginePids(dataDir);
    process.kill(pid, 'SIGKILL');
    await eventually('it runs again', async (saw) => saw(await node.info()).restarts === 1n);
    await node.stop();
    await expect(program.client('grpc', 'another-key-of-the-tests').then(asStranger)).rejects.toThrow();
    await received(program, 'a call with a wrong or no API key');
    const lines = told(program).filter((line) => !line.includes('the previous engine'));
    expect(lines).toEqual([
      'info: Start: the engine runs, 1 users are served',
      'info: Start with the same configuration: 1 users are served',
      'info: Start with another configuration: 1 users are served',
      expect.stringMatching(/^warn: Start failed: .*; the previous configuration still runs$/),
      `warn: the engine (process ${pid}) was ended by SIGKILL`,
      'info: the engine starts again in 0.0 s',
      'info: Stop: the engine has ended',
      'warn: a call with a wrong or no API key was refused',
    ]);
  });

  it('standard output and the warnings tell whether the session was restored, and why not', async () => {
    const before = await connect();
    await before.node.start({ config: config(1), users });
    await before.program.exit('SIGTERM');

    const after = await connect();
    await eventually('it runs', async (saw) => saw(await after.node.info()).running);
    await received(after.program, 'the saved session runs again');
    expect(told(after.program)).toEqual(['info: the saved session runs again, with 1 users']);
    await after.program.exit('SIGKILL');

    await eventually('its engine has ended', async (saw) => saw(await enginePids(dataDir)).length === 0);
    // The kernel frees the port of a killed program a moment after its end.
    const taken = await eventually('the port is free', () => listening(inbound));
    const last = await connect();
    const problem =
      'the saved session was not started again: ' +
      `inbound "vless": tcp port ${inbound} on 127.0.0.1 is taken by another program`;
    await eventually('it says so', async (saw) => saw(await last.node.info()).warnings.includes(problem));
    await received(last.program, 'the saved session was not started again');
    expect(told(last.program)).toEqual([`warn: ${problem}`]);
    // No engine runs, and the log tells why.
    for await (const { detail } of last.node.logs()) if (detail === `[rampart] [Warning] ${problem}`) break;
    taken.close();
    await eventually('it runs', async (saw) => saw(await last.node.info()).running);
    expect((await last.node.info()).warnings).toEqual([]);
  });
});
