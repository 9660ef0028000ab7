import { readdirSync } from 'node:fs';
import type { ReadKernelFile } from './kernel-files.js';

export interface InterfaceBytes {
  readonly received: number;
  readonly sent: number;
}

/** Lists the names in a directory; empty where it is missing. */
export type ListKernelDirectory = (directory: string) => readonly string[];

export const listKernelDirectory: ListKernelDirectory = (directory) => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const NET_CLASS_DIRECTORY = '/sys/class/net';
/**
 * Link types (ARPHRD_*) whose bytes are counted on other links too, or never leave the machine: loopback, tun, tunnels.
 */
const VIRTUAL_LINK_TYPES = new Set([768, 769, 772, 776, 778, 823, 65534]);
/** Directory entries of links on top of others or within them: bridges, tun and tap, ports, VLANs, bonds. */
const STACKED_ENTRIES = /^(bridge|bonding|tun_flags|master|lower_.*)$/;

/** Parses `/proc/net/dev`: the first column is received bytes, the ninth sent bytes. */
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

/** Bytes of the interfaces that connect the machine or container to others, so that each byte is counted once. */
export function readInterfaceBytes(read: ReadKernelFile, list: ListKernelDirectory): Map<string, InterfaceBytes> {
  const counters = parseInterfaceBytes(read('/proc/net/dev') ?? '');
  const counted = countedInterfaces([...counters.keys()], read, list);
  return new Map([...counters].filter(([name]) => counted.has(name)));
}

/**
 * Interfaces with a device, physical or virtual; bridges, bonds, VLANs and tunnels carry the same bytes again. A
 * container has no devices: there the container's ends of its links count.
 */
function countedInterfaces(names: readonly string[], read: ReadKernelFile, list: ListKernelDirectory): Set<string> {
  const entries = new Map(names.map((name) => [name, list(`${NET_CLASS_DIRECTORY}/${name}`)]));
  const devices = names.filter((name) => entries.get(name)?.includes('device'));
  // A virtual function and the synthetic interface on top of it count the same bytes.
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

/** The interface that this one is a part of: `INTERFACE=eth0` in its uevent. */
function masterOf(name: string, read: ReadKernelFile): string {
  return /^INTERFACE=(.*)$/m.exec(read(`${NET_CLASS_DIRECTORY}/${name}/master/uevent`) ?? '')?.[1] ?? '';
}
