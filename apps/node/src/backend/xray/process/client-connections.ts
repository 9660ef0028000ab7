import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Endpoint } from '../config/endpoints.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** Established connections, and those that one side has closed. */
const OPEN_TCP_STATES = new Set(['01', '04', '05', '08']);
const UNIX_CONNECTED_STATE = '03';
/** Number of links that are read at a time; the search ends with the first match. */
const LINKS_PER_BATCH = 64;

/** The engine's end of a client connection. */
export interface InboundSocket {
  readonly inode: string;
  /** Both ends as in the kernel's table; undefined for a unix socket. */
  readonly ends?: { readonly local: string; readonly remote: string };
}

/**
 * Whether a process has client connections on its inbounds; undefined where the system does not tell. Outgoing
 * connections do not count, since an outbound may keep one open without end.
 */
export async function hasClientConnections(
  pid: number,
  endpoints: readonly Endpoint[],
  rights?: EngineRights,
): Promise<boolean | undefined> {
  try {
    const inodes = new Set((await inboundSockets(pid, endpoints)).map(({ inode }) => inode));
    if (inodes.size === 0) return false;
    for await (const inode of socketInodes(pid, rights)) if (inodes.has(inode)) return true;
    return false;
  } catch {
    return undefined;
  }
}

/**
 * Whether there are client connections on these endpoints that belong to none of these processes: those of an engine in
 * another container with the same network. Undefined where the system does not tell.
 */
export async function hasOtherClientConnections(
  pids: readonly number[],
  endpoints: readonly Endpoint[],
  rights?: EngineRights,
): Promise<boolean | undefined> {
  try {
    const sockets = await inboundSockets(process.pid, endpoints);
    // Nobody owns a socket without an inode any more.
    const inodes = new Set(sockets.map(({ inode }) => inode).filter((inode) => inode !== '0'));
    for (const pid of pids) for await (const inode of socketInodes(pid, rights)) inodes.delete(inode);
    return inodes.size > 0;
  } catch {
    return undefined;
  }
}

/** The open sockets of a process. A root without CAP_SYS_PTRACE lists them with the account of the engine. */
export async function* socketInodes(pid: number, rights?: EngineRights): AsyncGenerator<string> {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
  if (files === undefined) {
    const list = await rights?.runAsEngine(['ls', '-l', `/proc/${pid}/fd`]);
    if (list === undefined) throw new Error(`the files of process ${pid} cannot be listed`);
    for (const [, inode = ''] of list.matchAll(/socket:\[(\d+)\]/g)) yield inode;
    return;
  }
  for (let from = 0; from < files.length; from += LINKS_PER_BATCH) {
    const links = files
      .slice(from, from + LINKS_PER_BATCH)
      .map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => ''));
    for (const link of await Promise.all(links)) {
      const [, inode] = /^socket:\[(\d+)\]$/.exec(link) ?? [];
      if (inode !== undefined) yield inode;
    }
  }
}

/** Connected sockets on the inbounds' ports and paths, of all processes: another engine may serve the same inbounds. */
export async function inboundSockets(pid: number, endpoints: readonly Endpoint[]): Promise<InboundSocket[]> {
  const [tcp, unix] = await Promise.all([tcpSockets(pid), readNetTable(pid, 'unix').catch(() => [])]);
  const ports = endpoints.flatMap((endpoint) => (endpoint.kind === 'port' ? [endpoint] : []));
  const isInbound = (port: number) => ports.some(({ first, last }) => first <= port && port <= last);
  const paths = new Set(endpoints.flatMap((endpoint) => (endpoint.kind === 'path' ? [endpoint.path] : [])));
  const sockets: InboundSocket[] = tcp.filter(({ ends }) => isInbound(portOf(ends.local)));
  for (const [, , , , , state, inode = '', path = ''] of unix) {
    if (state === UNIX_CONNECTED_STATE && paths.has(path)) sockets.push({ inode });
  }
  return sockets;
}

/** All TCP connections in the network namespace of a process. */
export async function tcpSockets(pid: number): Promise<Required<InboundSocket>[]> {
  const [tcp, tcp6] = await Promise.all([
    readNetTable(pid, 'tcp'),
    // The file is missing where the system has no IPv6.
    readNetTable(pid, 'tcp6').catch(() => []),
  ]);
  return [...tcp, ...tcp6].flatMap(([, local = '', remote = '', state = '', , , , , , inode = '']) =>
    OPEN_TCP_STATES.has(state) ? [{ inode, ends: { local, remote } }] : [],
  );
}

function portOf(end: string): number {
  return Number.parseInt(end.slice(end.indexOf(':') + 1), 16);
}

/** The lines of one of the kernel's network tables, split into fields. */
async function readNetTable(pid: number, name: string): Promise<string[][]> {
  const lines = (await readFile(`/proc/${pid}/net/${name}`, 'utf8')).split('\n').slice(1);
  return lines.filter((line) => line !== '').map((line) => line.trim().split(/\s+/));
}
