import { execFile } from 'node:child_process';
import { endianness } from 'node:os';
import { promisify } from 'node:util';
import type { Endpoint } from '../config/endpoints.js';
import { findInPath } from '../executable/locate-engine.js';
import { commandErrorText, type EngineRights } from '../rights/engine-rights.js';
import { type InboundSocket, inboundSockets, socketInodes, tcpSockets } from './client-connections.js';

/** The kernel accepts filters of up to 64 KiB, about 1,000 connections. */
const SOCKETS_PER_COMMAND = 200;
const TIMEOUT_MS = 5000;
const run = promisify(execFile);

type TcpSocket = Required<InboundSocket>;

/**
 * Resets a process's TCP connections on some of its inbounds through the kernel (`ss --kill`), so that clients
 * reconnect and another process accepts them. Connections that the process opens to itself, as a fallback does, stay.
 * @returns why some are left, if any are
 */
export async function resetConnections(
  pid: number,
  endpoints: readonly Endpoint[],
  { searchPath, rights }: { readonly searchPath: string; readonly rights: EngineRights | undefined },
): Promise<string | undefined> {
  if (endpoints.length === 0) return undefined;
  try {
    const sockets = await clientSockets(pid, endpoints, rights);
    if (sockets.length === 0) return undefined;
    const ss = await findInPath('ss', searchPath);
    if (ss === undefined) return 'PATH has no ss; install iproute2';
    for (let from = 0; from < sockets.length; from += SOCKETS_PER_COMMAND) {
      const filter = sockets
        .slice(from, from + SOCKETS_PER_COMMAND)
        .map(filterOf)
        .join(' or ');
      await run(ss, ['--kill', '--no-header', '--numeric', '--tcp', filter], { timeout: TIMEOUT_MS, env: {} });
    }
    const cut = new Set(sockets.map(({ inode }) => inode));
    const left = (await tcpSockets(pid)).some(({ inode }) => cut.has(inode));
    return left ? 'the node lacks the capability net_admin, or the kernel CONFIG_INET_DIAG_DESTROY' : undefined;
  } catch (error) {
    return commandErrorText(error);
  }
}

async function clientSockets(
  pid: number,
  endpoints: readonly Endpoint[],
  rights: EngineRights | undefined,
): Promise<TcpSocket[]> {
  const own = new Set<string>();
  for await (const inode of socketInodes(pid, rights)) own.add(inode);
  const outgoing = new Set<string>();
  for (const { inode, ends } of await tcpSockets(pid)) if (own.has(inode)) outgoing.add(`${ends.local} ${ends.remote}`);
  return (await inboundSockets(pid, endpoints)).flatMap(({ inode, ends }) =>
    ends === undefined || !own.has(inode) || outgoing.has(`${ends.remote} ${ends.local}`) ? [] : [{ inode, ends }],
  );
}

function filterOf({ ends }: TcpSocket): string {
  return `( src ${addressOf(ends.local)} and dst ${addressOf(ends.remote)} )`;
}

/** Converts `0100007F:01BB` to `127.0.0.1:443`: addresses are words in the machine's byte order, ports are not. */
export function addressOf(end: string): string {
  const [address = '', port = ''] = end.split(':');
  const bytes = Buffer.from(address, 'hex');
  if (endianness() === 'LE') bytes.swap32();
  const host = bytes.length === 4 ? bytes.join('.') : `[${bytes.toString('hex').replace(/.{4}(?!$)/g, '$&:')}]`;
  return `${host}:${Number.parseInt(port, 16)}`;
}
