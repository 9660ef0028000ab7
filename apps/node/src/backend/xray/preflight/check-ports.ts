import { createSocket } from 'node:dgram';
import { access, constants, lstat, readFile, rm } from 'node:fs/promises';
import { connect, createServer, isIPv6 } from 'node:net';
import { dirname } from 'node:path';
import type { Transport } from '@rampart/core-config';
import { messageOf } from '@rampart/program';
import { NodeError } from '../../../errors/node-error.js';
import type { Endpoint } from '../config/endpoints.js';
import type { EngineRights } from '../rights/engine-rights.js';

type PortEndpoint = Extract<Endpoint, { kind: 'port' }>;
type PathEndpoint = Extract<Endpoint, { kind: 'path' }>;

const UNIX_LISTENING_FLAGS = '00010000';

/** Only the first ports of a wide range are checked; the engine reports the rest. */
const MAX_CHECKED_PORTS = 1024;

/**
 * Tries to listen where the inbounds will, except where the running engine listens. START_FAILED names tag and port.
 * The engine itself would silently share a port with another engine.
 */
export async function checkPorts(
  endpoints: readonly Endpoint[],
  held: readonly Endpoint[],
  rights?: EngineRights,
): Promise<void> {
  let tries = 0;
  for (const endpoint of endpoints) {
    if (endpoint.kind === 'path') {
      if (!held.some((own) => own.kind === 'path' && own.path === endpoint.path)) await checkPath(endpoint, rights);
      continue;
    }
    for (let port = endpoint.first; port <= endpoint.last && tries < MAX_CHECKED_PORTS; port += 1) {
      if (port === 0 || held.some((own) => holdsPort(own, endpoint.transport, port))) continue;
      tries += 1;
      await checkPort(endpoint, port);
    }
  }
}

function holdsPort(own: Endpoint, transport: Transport, port: number): boolean {
  return own.kind === 'port' && own.transport === transport && own.first <= port && port <= own.last;
}

async function checkPort({ tag, host, transport }: PortEndpoint, port: number): Promise<void> {
  const code = await (transport === 'tcp' ? tryTcp(host, port) : tryUdp(host, port));
  if (code === undefined) return;
  const where = `inbound "${tag}": ${transport} port ${port} on ${host}`;
  if (code === 'EADDRINUSE') throw new NodeError('START_FAILED', `${where} is taken by another program`);
  if (code === 'EACCES') throw new NodeError('START_FAILED', `${where} needs more permission than the node has`);
  if (code === 'EADDRNOTAVAIL')
    throw new NodeError('START_FAILED', `${where}: this machine does not have that address`);
}

/** Resolves with the error code, or undefined when the port is free. */
function tryTcp(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function tryUdp(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close();
      resolve(error.code);
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}

async function checkPath({ tag, path }: PathEndpoint, rights?: EngineRights): Promise<void> {
  const isTaken = () => new NodeError('START_FAILED', `inbound "${tag}": ${path} is taken by another program`);
  if (path.startsWith('@')) {
    if (await isAbstractListener(path)) throw isTaken();
    return;
  }
  const directory = dirname(path);
  const problem = await access(directory, constants.W_OK | constants.X_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? 'does not exist' : 'cannot be written to'),
  );
  if (problem !== undefined) {
    throw new NodeError('START_FAILED', `inbound "${tag}": the directory ${directory} of its socket ${problem}`);
  }
  if (rights !== undefined && !(await rights.canAccess('write', directory))) {
    const problem = `${rights.name} cannot write to the directory ${directory} of its socket`;
    throw new NodeError('START_FAILED', `inbound "${tag}": ${problem}: give it to that account`);
  }
  const lock = await lstat(`${path}.lock`).catch(() => undefined);
  // The engine would empty this file.
  if (lock !== undefined && lock.size > 0) {
    throw new NodeError('START_FAILED', `inbound "${tag}": ${path}.lock exists and is not an engine's`);
  }
  const file = await lstat(path).catch(() => undefined);
  if (file === undefined) return;
  if (!file.isSocket()) throw new NodeError('START_FAILED', `inbound "${tag}": ${path} exists and is not a socket`);
  if (await acceptsConnections(path)) throw isTaken();
}

/** Removes socket files of earlier runs, over which the engine does not start. START_FAILED when that fails. */
export async function removeStaleSockets(endpoints: readonly Endpoint[]): Promise<void> {
  for (const endpoint of endpoints) {
    if (endpoint.kind !== 'path' || endpoint.path.startsWith('@')) continue;
    const file = await lstat(endpoint.path).catch(() => undefined);
    if (!file?.isSocket() || (await acceptsConnections(endpoint.path))) continue;
    try {
      for (const left of [endpoint.path, `${endpoint.path}.lock`]) await rm(left, { force: true });
    } catch (cause) {
      const reason = messageOf(cause);
      throw new NodeError('START_FAILED', `inbound "${endpoint.tag}": an old socket could not be removed: ${reason}`, {
        cause,
      });
    }
  }
}

/** Looks into the kernel's table of sockets: a client cannot connect without knowing the exact length of the name. */
async function isAbstractListener(path: string): Promise<boolean> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  return table.split('\n').some((line) => line.endsWith(` ${path}`) && line.split(/\s+/)[3] === UNIX_LISTENING_FLAGS);
}

function acceptsConnections(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
