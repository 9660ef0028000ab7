import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Endpoint } from '../config/endpoints.js';
import type { EngineRights } from '../rights/engine-rights.js';

/** Established, or closed by one side only. */
const TCP_OPEN = new Set(['01', '04', '05', '08']);
const UNIX_CONNECTED = '03';
/** Links read at a time: the first one that counts ends the search. */
const AT_ONCE = 64;

/**
 * Whether a process has a client's connection left on one of its inbounds; nothing where the system does not tell. What
 * it connects to itself does not count: an outbound may keep a connection for ever.
 */
export async function hasConnections(
  pid: number,
  endpoints: readonly Endpoint[],
  rights?: EngineRights,
): Promise<boolean | undefined> {
  try {
    const inodes = await inboundInodes(pid, endpoints);
    if (inodes.size === 0) return false;
    const files = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
    if (files === undefined) return await listedConnections(pid, inodes, rights);
    for (let from = 0; from < files.length; from += AT_ONCE) {
      const links = files
        .slice(from, from + AT_ONCE)
        .map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => ''));
      for (const link of await Promise.all(links)) {
        const [, inode = ''] = /^socket:\[(\d+)\]$/.exec(link) ?? [];
        if (inodes.has(inode)) return true;
      }
    }
    return false;
  } catch {
    return undefined;
  }
}

/** As an account that may look: a root without CAP_SYS_PTRACE may not. */
async function listedConnections(
  pid: number,
  inodes: ReadonlySet<string>,
  rights?: EngineRights,
): Promise<boolean | undefined> {
  const list = await rights?.output(['ls', '-l', `/proc/${pid}/fd`]);
  if (list === undefined) return undefined;
  return Array.from(list.matchAll(/socket:\[(\d+)\]/g)).some(([, inode = '']) => inodes.has(inode));
}

/** Connected sockets on the inbounds' ports and paths, of all processes: another engine may serve the same ones. */
async function inboundInodes(pid: number, endpoints: readonly Endpoint[]): Promise<Set<string>> {
  const [tcp, tcp6, unix] = await Promise.all([
    table(pid, 'tcp'),
    // Absent where the system has no IPv6.
    table(pid, 'tcp6').catch(() => []),
    table(pid, 'unix').catch(() => []),
  ]);
  const ports = endpoints.flatMap((endpoint) => (endpoint.kind === 'port' ? [endpoint] : []));
  const isInbound = (port: number) => ports.some(({ first, last }) => first <= port && port <= last);
  const paths = new Set(endpoints.flatMap((endpoint) => (endpoint.kind === 'path' ? [endpoint.path] : [])));
  const inodes = new Set<string>();
  for (const [, local = '', , state = '', , , , , , inode = ''] of [...tcp, ...tcp6]) {
    const port = Number.parseInt(local.slice(local.indexOf(':') + 1), 16);
    if (TCP_OPEN.has(state) && isInbound(port)) inodes.add(inode);
  }
  for (const [, , , , , state, inode = '', path = ''] of unix) {
    if (state === UNIX_CONNECTED && paths.has(path)) inodes.add(inode);
  }
  return inodes;
}

/** The lines of one of the kernel's tables, in fields. */
async function table(pid: number, name: string): Promise<string[][]> {
  const lines = (await readFile(`/proc/${pid}/net/${name}`, 'utf8')).split('\n').slice(1);
  return lines.filter((line) => line !== '').map((line) => line.trim().split(/\s+/));
}
