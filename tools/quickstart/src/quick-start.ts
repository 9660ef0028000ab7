import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installProgram } from '@rampart/engine';
import { OperatorError } from '@rampart/program';
import QRCode from 'qrcode';
import { ManagementApi } from './management-api.js';
import { type OwnAddress, ownAddress } from './own-address.js';
import { checkPorts, type WantedPort } from './ports.js';
import { Processes } from './processes.js';
import { provision } from './provision.js';
import type { Settings } from './settings.js';
import { loadState, type State, saveState } from './state.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '../../..');
const ADMIN = 'admin';
const READY_WITHIN_MS = 90_000;

/** Runs both programs until Ctrl-C; at the first start it also creates everything that carries traffic. */
export async function quickStart(settings: Settings): Promise<void> {
  const state = loadState(settings.dataDir);
  await checkPorts(wantedPorts(settings, state));
  const engine = await installProgram('xray');

  const processes = new Processes();
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
  const address = ownAddress(settings.publicAddress, networkInterfaces());
  const baseUrl = `http://${bracketed(address.address)}:${settings.port}`;
  startPrograms(processes, settings, state, engine.path, baseUrl);

  const failure = await Promise.race([
    stopped,
    processes.failed,
    setUp(settings, state, address, baseUrl).then(
      () => Promise.race([stopped, processes.failed]),
      (error: unknown) => error,
    ),
  ]);
  await processes.stop();
  if (failure !== undefined) throw failure;
}

function wantedPorts(settings: Settings, { inboundPorts }: State): WantedPort[] {
  const free = (setting: string) => `set ${setting} to a free port`;
  const inbounds: WantedPort[] =
    inboundPorts === undefined
      ? [
          { port: settings.vlessPort, use: 'the VLESS inbound', remedy: free('RAMPART_VLESS_PORT') },
          { port: settings.shadowsocksPort, use: 'the Shadowsocks inbound', remedy: free('RAMPART_SHADOWSOCKS_PORT') },
        ]
      : inboundPorts.map((port) => ({
          port,
          use: 'an inbound of the core',
          remedy: 'end that program (RAMPART_VLESS_PORT and RAMPART_SHADOWSOCKS_PORT count at the first start only)',
        }));
  return [
    { port: settings.port, use: 'the management API', remedy: free('RAMPART_PORT') },
    { port: settings.nodePort, use: 'the node', remedy: free('RAMPART_NODE_PORT') },
    ...inbounds,
  ];
}

function startPrograms(processes: Processes, settings: Settings, state: State, engine: string, baseUrl: string): void {
  processes.start('node', join(root, 'apps/node/dist/main.js'), {
    RAMPART_API_KEY: state.nodeApiKey,
    RAMPART_NODE_HOST: '127.0.0.1',
    RAMPART_NODE_PORT: String(settings.nodePort),
    RAMPART_NODE_DATA_DIR: join(settings.dataDir, 'node'),
    XRAY_EXECUTABLE_PATH: engine,
  });
  processes.start('management', join(root, 'apps/management/dist/main.js'), {
    RAMPART_PORT: String(settings.port),
    RAMPART_DATA_DIR: join(settings.dataDir, 'management'),
    RAMPART_PUBLIC_URL: baseUrl,
    ...(state.adminPassword !== undefined && {
      RAMPART_ADMIN_USERNAME: ADMIN,
      RAMPART_ADMIN_PASSWORD: state.adminPassword,
    }),
  });
}

async function setUp(settings: Settings, state: State, address: OwnAddress, baseUrl: string): Promise<void> {
  const api = new ManagementApi(`http://127.0.0.1:${settings.port}`);
  await until('the management API answers', () => api.isUp());
  let { subscriptionPath } = state;
  if (state.adminPassword !== undefined) {
    await api.login(ADMIN, state.adminPassword);
    const certificate = await until('the node has its certificate', async () => nodeCertificate(settings));
    subscriptionPath = await provision(api, settings, { apiKey: state.nodeApiKey, certificate }, address.address);
    await until('the node is connected', async () => {
      const nodes = await api.get<{ status: string; message: string | null }[]>('/api/nodes');
      const broken = nodes.find(({ status }) => status === 'error');
      if (broken !== undefined) throw new OperatorError(`The node could not be started: ${broken.message}`);
      return nodes.every(({ status }) => status === 'connected');
    });
  }
  console.log(await summary(baseUrl + subscriptionPath, baseUrl, address, state.adminPassword));
  if (state.adminPassword !== undefined) {
    const { adminPassword: _printed, ...kept } = state;
    saveState(settings.dataDir, {
      ...kept,
      subscriptionPath: subscriptionPath as string,
      inboundPorts: [settings.vlessPort, settings.shadowsocksPort],
    });
  }
}

async function summary(
  subscriptionUrl: string,
  baseUrl: string,
  { address, origin }: OwnAddress,
  password: string | undefined,
): Promise<string> {
  const login =
    password === undefined
      ? ['Login         as at the first start']
      : [`Login         ${ADMIN}`, `Password      ${password}   (shown once: write it down)`];
  return [
    '',
    'Rampart is running.',
    '',
    ...login,
    `API           ${baseUrl}/api`,
    `Address       ${address} (${origin})`,
    `Subscription  ${subscriptionUrl}`,
    '',
    await QRCode.toString(subscriptionUrl, { type: 'terminal', small: true }),
    'Ctrl-C ends it; the data stays.',
    '',
  ].join('\n');
}

function nodeCertificate({ dataDir }: Settings): string | undefined {
  try {
    return readFileSync(join(dataDir, 'node/tls/certificate.pem'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Asks until the answer is something; what takes too long is named in the error. */
async function until<T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer as T;
    await sleep(50);
  }
  throw new OperatorError(`Waited ${READY_WITHIN_MS / 1000} s, in vain, until ${what}.`);
}

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);
