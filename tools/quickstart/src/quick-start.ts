import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installProgram } from '@rampart/engine';
import { OperatorError } from '@rampart/program';
import { type Development, startDevelopment } from './development.js';
import { ManagementApi } from './management-api.js';
import { ownAddress } from './own-address.js';
import { checkPorts, wantedPorts } from './ports.js';
import { Processes } from './processes.js';
import { provision } from './provision.js';
import type { Settings } from './settings.js';
import { type Fixed, loadState, type State, saveState } from './state.js';
import { summary } from './summary.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const NAMES = { node: 'The node', management: 'Management' };
const ADMIN = 'admin';
const READY_WITHIN_MS = 90_000;
/** The loopback address to call for a service that listens on all addresses. */
const LOOPBACK_OF_WILDCARD: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Runs both programs until Ctrl-C. The first start also creates a core, a node, hosts and a user. With `watch`, the sources are
 * bundled on every change, and each program is restarted when its bundle has changed; the database goes on.
 */
export async function quickStart(settings: Settings, { watch = false } = {}): Promise<void> {
  const ctrlC = Symbol('Ctrl-C');
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort(ctrlC));
  const processes = new Processes((error) => end.abort(error));
  let development: Development | undefined;
  try {
    if (watch) development = await startDevelopment(root, settings.dataDir, processes, NAMES);
    await start(settings, processes, development, end.signal);
    if (!end.signal.aborted) await once(end.signal, 'abort');
  } catch (error) {
    end.abort(error);
  }
  await processes.stop();
  await development?.close();
  if (end.signal.reason !== ctrlC) throw end.signal.reason;
}

async function start(
  asked: Settings,
  processes: Processes,
  development: Development | undefined,
  signal: AbortSignal,
): Promise<void> {
  const known = loadState(asked.dataDir);
  const settings = { ...asked, ...known.fixed };
  await checkPorts(wantedPorts(settings, known.fixed !== undefined));
  const engine = await installProgram('xray', { signal });

  const address = ownAddress(settings.publicAddress, networkInterfaces());
  const { nodePort, vlessPort, shadowsocksPort } = settings;
  const fixed = known.fixed ?? { address: address.address, nodePort, vlessPort, shadowsocksPort };
  const state = { ...known, fixed };
  saveState(settings.dataDir, state);

  const machineUrl = `http://${bracketed(address.address)}:${settings.port}`;
  const publicUrl = settings.publicUrl ?? machineUrl;
  const run = (name: string, main: string, env: NodeJS.ProcessEnv) =>
    processes.start(name, main, { ...env, ...development?.env }, { restarts: development !== undefined });
  startPrograms(run, settings, state, engine.path, publicUrl, development);
  const subscriptionPath = await setUp(settings, state, signal);
  const running = {
    dashboardUrl: `${machineUrl}/dashboard/`,
    apiUrl: `${machineUrl}/api`,
    subscriptionUrl: publicUrl + subscriptionPath,
    address,
    hostAddress: fixed.address,
    ...(state.adminPassword !== undefined && { login: { username: ADMIN, password: state.adminPassword } }),
  };
  console.log(await summary(running, process.stdout.isTTY));
  const { adminPassword: _printed, ...kept } = state;
  saveState(settings.dataDir, { ...kept, subscriptionPath });
}

const mainOf = (app: keyof typeof NAMES, development: Development | undefined) =>
  development?.mains[app] ?? join(root, 'apps', app, 'dist/bundle/main.cjs');

function startPrograms(
  run: (name: string, main: string, env: NodeJS.ProcessEnv) => void,
  settings: Settings,
  state: State,
  engine: string,
  publicUrl: string,
  development: Development | undefined,
): void {
  run(NAMES.node, mainOf('node', development), {
    RAMPART_API_KEY: state.nodeApiKey,
    RAMPART_API_KEY_FILE: undefined,
    RAMPART_NODE_HOST: '127.0.0.1',
    RAMPART_NODE_PORT: String(settings.nodePort),
    RAMPART_NODE_DATA_DIR: join(settings.dataDir, 'node'),
    // Ctrl-C ends everything, and nothing goes on when the quick start is killed.
    RAMPART_NODE_KEEP_SECONDS: process.env['RAMPART_NODE_KEEP_SECONDS'] ?? '0',
    XRAY_EXECUTABLE_PATH: engine,
  });
  run(NAMES.management, mainOf('management', development), {
    RAMPART_HOST: settings.host,
    // The quick start serves plain HTTP.
    RAMPART_TLS_CERT: undefined,
    RAMPART_TLS_KEY: undefined,
    RAMPART_PORT: String(settings.port),
    RAMPART_DATA_DIR: join(settings.dataDir, 'management'),
    RAMPART_PUBLIC_URL: publicUrl,
    ...(state.adminPassword !== undefined && {
      RAMPART_ADMIN_USERNAME: ADMIN,
      RAMPART_ADMIN_PASSWORD: state.adminPassword,
      RAMPART_ADMIN_PASSWORD_FILE: undefined,
    }),
  });
}

/** Waits for both programs, creates what is missing, and returns the path of the first user's subscription. */
async function setUp(settings: Settings, state: State & { fixed: Fixed }, signal: AbortSignal): Promise<string> {
  const api = new ManagementApi(
    `http://${bracketed(LOOPBACK_OF_WILDCARD[settings.host] ?? settings.host)}:${settings.port}`,
    signal,
  );
  await until('the management API answers', signal, () => api.isUp());
  if (state.subscriptionPath !== undefined) return state.subscriptionPath;

  await api.login(ADMIN, state.adminPassword as string);
  // The node's certificate may be from an earlier start, so only an open port shows that the node is ready.
  await until('the node listens', signal, () => listens(settings.nodePort));
  const certificate = readFileSync(join(settings.dataDir, 'node/tls/certificate.pem'), 'utf8');
  const node = { apiKey: state.nodeApiKey, certificate };
  const subscriptionPath = await provision(api, settings, node, state.fixed.address);
  await until('the node is connected', signal, async () => {
    const nodes = await api.get<{ status: string; message: string | null }[]>('/api/nodes');
    const broken = nodes.find(({ status }) => status === 'error');
    if (broken !== undefined) throw new OperatorError(`The node could not be started: ${broken.message}`);
    return nodes.every(({ status }) => status === 'connected');
  });
  return subscriptionPath;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Repeats a call until it returns a value; the error of a timeout names `what`. */
async function until<T>(what: string, signal: AbortSignal, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as T;
    await sleep(50, undefined, { signal });
  }
  throw new OperatorError(`Timed out after ${READY_WITHIN_MS / 1000} s while waiting until ${what}.`);
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);
