import { readdirSync } from 'node:fs';
import type { ReadKernelFile } from './kernel-files.js';

export interface InterfaceBytes {
  readonly received: number;
  readonly sent: number;
}

/** Names in a directory; nothing where it is missing. */
export type ListKernelDirectory = (directory: string) => readonly string[];

export const listKernelDirectory: ListKernelDirectory = (directory) => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const NET_CLASS_DIRECTORY = '/sys/class/net';
/** Link types (ARPHRD_*) that carry other links' bytes, or none that leave the machine: loopback, tun, tunnels. */
const VIRTUAL_LINK_TYPES = new Set([768, 769, 772, 776, 778, 823, 65534]);
/** Entries of what stands on top of other links or is a part of one: bridges, tun and tap, ports, VLANs, bonds. */
const STACKED_ENTRIES = /^(bridge|bonding|tun_flags|master|lower_.*)$/;

/** `/proc/net/dev`: received bytes stand first, sent bytes ninth. */
export function parseInterfaceBytes(text: string): Map<string, InterfaceBytes> {
  const counters = new Map<string, InterfaceBytes>();
  for (const line of text.split('\n')) {
    const [, name, numbers] = /^\s*(\S+?):\s*(\d+(?:\s+\d+){8,})\s*$/.exec(line) ?? [];
    if (name === undefined || numbers === undefined) continue;
    const columns = numbers.split(/\s+/).map(Number);
    counters.set(name, { received: columns[0] ?? 0, sent: columns[8] ?? 0 });
  }
  return counters;
}

/** Bytes of the interfaces by which the machine, or the container, talks to others: each byte stands on one of them. */
export function readInterfaceBytes(read: ReadKernelFile, list: ListKernelDirectory): Map<string, InterfaceBytes> {
  const counters = parseInterfaceBytes(read('/proc/net/dev') ?? '');
  const counted = countedInterfaces([...counters.keys()], read, list);
  return new Map([...counters].filter(([name]) => counted.has(name)));
}

/**
 * Those with a device behind them, be it of a virtual machine: bridges, bonds, VLANs and tunnels carry the same bytes
 * once more. A container has none; there the ends of its cables count, whatever made them.
 */
function countedInterfaces(names: readonly string[], read: ReadKernelFile, list: ListKernelDirectory): Set<string> {
  const entries = new Map(names.map((name) => [name, list(`${NET_CLASS_DIRECTORY}/${name}`)]));
  const devices = names.filter((name) => entries.get(name)?.includes('device'));
  // Where a virtual function stands behind a synthetic one, both count the same bytes.
  const own = devices.filter((name) => !devices.includes(masterOf(name, read)));
  if (own.length > 0) return new Set(own);
  return new Set(names.filter((name) => isContainerLink(name, entries.get(name) ?? [], read)));
}

function isContainerLink(name: string, entries: readonly string[], read: ReadKernelFile): boolean {
  if (entries.length === 0) return name !== 'lo';
  return (
    !entries.some((entry) => STACKED_ENTRIES.test(entry)) &&
    !VIRTUAL_LINK_TYPES.has(Number(read(`${NET_CLASS_DIRECTORY}/${name}/type`)))
  );
}

/** `INTERFACE=eth0` in the uevent of what it is a part of. */
function masterOf(name: string, read: ReadKernelFile): string {
  return /^INTERFACE=(.*)$/m.exec(read(`${NET_CLASS_DIRECTORY}/${name}/master/uevent`) ?? '')?.[1] ?? '';
}
