import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type NodeClient, User } from '@rampart/node-client';
import {
  ALLOW_PRIVATE,
  enginePath,
  eventually,
  freePort,
  type LocalWeb,
  startEngineClient,
  startLocalWeb,
} from '@rampart/testing';
import { vlessOutbound } from '../../../testing/clients/client-outbounds.js';
import { startEcho, Tunnel } from '../../../testing/clients/tunnel.js';
import { enginePids } from '../../../testing/engine-pids.js';
import { buildNode, NodeProgram, type NodeProgramOptions } from '../../../testing/nodes/node-program.js';
import { API_KEY } from '../../../testing/nodes/running-node.js';

const run = promisify(execFile);
const ACCOUNT = 61_080;
const ID = '11111111-1111-4111-8111-111111111111';
const ann = User.fromPartial({ email: '1.ann', proxies: { vless: { id: ID } }, inbounds: ['vless'] });

const isRoot = process.getuid?.() === 0;
const asRoot =
  isRoot && spawnSync('setpriv', ['--reuid', `${ACCOUNT}`, '--clear-groups', 'true']).status === 0 ? it : it.skip;
const withFileCapabilities = isRoot && spawnSync('setcap', ['-h']).error === undefined ? it : it.skip;

/** A free port below 1024. */
async function lowPort(): Promise<number> {
  for (let port = 600; ; port += 1) {
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer()
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

describe("the engine's rights (security row 20)", () => {
  let dataDir: string;
  let web: LocalWeb;
  let port: number;
  const opened: { close(): Promise<unknown> | unknown }[] = [];

  const connect = async (
    settings: Record<string, string> = {},
    options: NodeProgramOptions = {},
  ): Promise<{ program: NodeProgram; node: NodeClient }> => {
    const program = new NodeProgram(
      {
        ...{ RAMPART_API_KEY: API_KEY, RAMPART_NODE_DATA_DIR: dataDir },
        ...{ RAMPART_NODE_HOST: '127.0.0.1', RAMPART_NODE_PORT: String(await freePort()) },
        ...settings,
      },
      options,
    );
    // The node is not killed, since an engine may survive that here.
    opened.push({ close: () => program.exit('SIGTERM') });
    const node = await program.client();
    opened.push(node);
    return { program, node };
  };
  const config = (number = 1, more: object = {}, inbound: object = {}) =>
    JSON.stringify({
      inbounds: [
        { tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' }, ...inbound },
      ],
      outbounds: [{ tag: `direct-${number}`, protocol: 'freedom', settings: ALLOW_PRIVATE, ...more }],
    });
  const statusOf = async (pid: number): Promise<Record<string, string>> => {
    const lines = (await readFile(`/proc/${pid}/status`, 'utf8')).split('\n');
    return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2)));
  };
  const onlyPid = () =>
    eventually('one engine runs', async () => {
      const pids = await enginePids(dataDir);
      return pids.length === 1 && pids[0];
    });
  const asEngine = (command: string, ...args: string[]) =>
    run('setpriv', ['--reuid', `${ACCOUNT}`, '--regid', `${ACCOUNT}`, '--clear-groups', command, ...args]);

  beforeAll(async () => {
    await buildNode();
    web = await startLocalWeb();
  });
  afterEach(async () => {
    for (const part of opened.splice(0).reverse()) await part.close();
    if (dataDir !== undefined) expect(await enginePids(dataDir)).toEqual([]);
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
  });
  afterAll(() => web.close());

  const prepare = async (): Promise<void> => {
    dataDir = await mkdtemp(join(tmpdir(), 'rampart-rights-'));
    port = await lowPort();
  };

  asRoot(
    'the engine runs under its own account with a port below 1024, even after a handover and a crash',
    async () => {
      await prepare();
      const { node } = await connect();
      expect(await node.start({ config: config(), users: [ann] })).toMatchObject({ running: true, warnings: [] });
      const client = await startEngineClient(vlessOutbound(port, ID));
      opened.push(client);
      const echo = await startEcho();
      opened.push(echo);
      const tunnel = await Tunnel.open(client.port, echo.port);
      await tunnel.echo(1000);
      const first = await onlyPid();
      for (const change of [
        () => node.start({ config: config(2), users: [ann] }),
        async () => process.kill((await onlyPid()) as number, 'SIGKILL'),
      ]) {
        expect(await client.fetch(web.url)).toBe(web.page);
        await change();
        await eventually('another one serves', async () => {
          const pids = await enginePids(dataDir);
          return pids.some((pid) => pid !== first) && (await node.info()).running;
        });
        for (const pid of await enginePids(dataDir)) {
          expect(await statusOf(pid)).toMatchObject({
            Uid: [ACCOUNT, ACCOUNT, ACCOUNT, ACCOUNT].join('\t'),
            Gid: [ACCOUNT, ACCOUNT, ACCOUNT, ACCOUNT].join('\t'),
            Groups: expect.stringMatching(/^\s*$/),
            NoNewPrivs: '1',
            ...{ CapPrm: '0000000000000400', CapEff: '0000000000000400', CapBnd: '0000000000000400' },
          });
        }
        if (tunnel !== undefined && (await enginePids(dataDir)).includes(first)) {
          await tunnel.echo(1000);
          tunnel.close();
          await eventually('the one before has ended', async (saw) => !saw(await enginePids(dataDir)).includes(first));
        }
      }
      const page = () => client.fetch(web.url).catch(() => undefined);
      await eventually('the engine after the crash serves', async (saw) => saw(await page()) === web.page);
    },
  );

  asRoot("the engine's account can read neither the TLS key nor the API key nor the state", async () => {
    await prepare();
    const { program, node } = await connect();
    await node.start({ config: config(), users: [ann] });
    const pid = (await onlyPid()) as number;
    await eventually('the session is on disk', async (saw) =>
      saw(await readdir(join(dataDir, 'state'))).includes('session'),
    );
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain(API_KEY);
    const secrets = [...(await readdir(join(dataDir, 'tls'))).map((name) => join('tls', name)), 'state/session'];
    for (const path of [...secrets.map((name) => join(dataDir, name)), `/proc/${program.pid}/environ`]) {
      await expect(asEngine('cat', path)).rejects.toThrow('Permission denied');
      expect((await stat(path)).uid).toBe(0);
    }
  });

  asRoot('the engine ends when the node is killed', async () => {
    await prepare();
    const { program, node } = await connect();
    await node.start({ config: config(), users: [ann] });
    await onlyPid();
    await program.exit('SIGKILL');
    await eventually('no engine is left', async (saw) => saw(await enginePids(dataDir)).length === 0);
  });

  asRoot('the engine gets net_admin only when the configuration needs it', async () => {
    await prepare();
    const { node } = await connect();
    await node.start({ config: config(1, { streamSettings: { sockopt: { mark: 7 } } }), users: [ann] });
    expect((await statusOf((await onlyPid()) as number))['CapPrm']).toBe('0000000000001400');
    await node.stop();
    await node.start({ config: config(), users: [ann] });
    expect((await statusOf((await onlyPid()) as number))['CapPrm']).toBe('0000000000000400');
  });

  asRoot('the node sees its engines in a container too, where root cannot inspect other accounts', async () => {
    await prepare();
    const wrapper = ['setpriv', '--bounding-set=-sys_ptrace', '--inh-caps=-sys_ptrace'];
    const { node } = await connect({}, { wrapper });
    expect(await node.start({ config: config(), users: [ann] })).toMatchObject({ warnings: [] });
    await node.start({ config: config(2), users: [ann] });
    // It ends when its last connection has ended, not after the drain time of an hour.
    await onlyPid();
    expect(await node.info()).toMatchObject({ running: true, warnings: [] });
  });

  asRoot('a certificate or socket directory that the account of the engine cannot use is named', async () => {
    await prepare();
    const { node } = await connect();
    const [keyFile, certificateFile] = [join(dataDir, 'server.key'), join(dataDir, 'server.crt')];
    execFileSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=test'],
      ...['-keyout', keyFile, '-out', certificateFile],
    ]);
    const tlsSettings = { certificates: [{ certificateFile, keyFile }] };
    await expect(
      node.start({ config: config(1, {}, { streamSettings: { security: 'tls', tlsSettings } }) }),
    ).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringContaining(
        `${certificateFile} cannot be read by the engine's account (uid 61080, gid 61080): ` +
          'give it to that account, or send the certificate with the configuration',
      ),
    });
    await expect(
      node.start({ config: config(1, {}, { listen: join(dataDir, 'in.sock'), port: undefined }) }),
    ).rejects.toMatchObject({
      code: 'START_FAILED',
      message:
        'inbound "vless": the engine\'s account (uid 61080, gid 61080) cannot write to the directory ' +
        `${dataDir} of its socket: give it to that account`,
    });
  });

  asRoot('the engine can run under the account of the node, without its capabilities', async () => {
    await prepare();
    const { node } = await connect({ RAMPART_NODE_ENGINE_USER: '0' });
    expect(await node.start({ config: config(), users: [ann] })).toMatchObject({ warnings: [] });
    expect(await statusOf((await onlyPid()) as number)).toMatchObject({
      Uid: '0\t0\t0\t0',
      ...{ NoNewPrivs: '1', CapPrm: '0000000000000400' },
    });
  });

  asRoot('without setpriv the engine runs, with a warning about its rights', async () => {
    await prepare();
    const { node } = await connect({ PATH: '/nowhere' });
    expect((await node.start({ config: config(), users: [ann] })).warnings).toEqual([
      'the engine runs with all rights of the node, and outlives it when that is killed: PATH has no setpriv; install util-linux',
      'the open files of the engine have no limit: PATH has no sh',
    ]);
  });

  withFileCapabilities('file capabilities with which the engine would outlive the node give a warning', async () => {
    await prepare();
    const path = join(dataDir, 'xray');
    await copyFile(enginePath(), path);
    execFileSync('setcap', ['cap_net_bind_service+ep', path]);
    const { program, node } = await connect({ XRAY_EXECUTABLE_PATH: path });
    const warning =
      `${path} has file capabilities: the engine lives on when the node is killed; ` +
      `take them away (setcap -r ${path}): the node gives the engine what it needs`;
    expect((await node.start({ config: config(), users: [ann] })).warnings).toEqual([warning]);
    expect(program.output).toContain(warning);
    execFileSync('setcap', ['-r', path]);
    expect((await node.start({ config: config(2), users: [ann] })).warnings).toEqual([]);
  });

  withFileCapabilities(
    'a Start is refused with advice when the file has more capabilities than the node gives',
    async () => {
      await prepare();
      const path = join(dataDir, 'xray');
      await copyFile(enginePath(), path);
      execFileSync('setcap', ['cap_net_bind_service,cap_net_admin+ep', path]);
      const { node } = await connect({ XRAY_EXECUTABLE_PATH: path });
      await expect(node.start({ config: config() })).rejects.toMatchObject({
        code: 'START_FAILED',
        message:
          `the engine's account (uid 61080, gid 61080) cannot run ${path} ` +
          `(setpriv: failed to execute ${path}: Operation not permitted): its file capabilities are more than the node gives; ` +
          `take them away (setcap -r ${path}), the node gives the engine what it needs`,
      });
    },
  );
});
