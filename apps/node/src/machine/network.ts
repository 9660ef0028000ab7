import { readdirSync } from 'node:fs';
import type { ReadFile } from './kernel-files.js';

export interface InterfaceBytes {
  readonly received: number;
  readonly sent: number;
}

/** Names in a directory; nothing where it is missing. */
export type ListNames = (directory: string) => readonly string[];

export const listKernelNames: ListNames = (directory) => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const SYSFS = '/sys/class/net';
/** Link types (ARPHRD_*) that carry other links' bytes, or none that leave the machine: loopback, tun, tunnels. */
const CARRIED = new Set([768, 769, 772, 776, 778, 823, 65534]);
/** Entries of what stands on top of other links or is a part of one: bridges, tun and tap, ports, VLANs, bonds. */
const STACKED = /^(bridge|bonding|tun_flags|master|lower_.*)$/;

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
export function interfaceBytes(read: ReadFile, list: ListNames): Map<string, InterfaceBytes> {
  const counters = parseInterfaceBytes(read('/proc/net/dev') ?? '');
  const counted = countedInterfaces([...counters.keys()], read, list);
  return new Map([...counters].filter(([name]) => counted.has(name)));
}

/**
 * Those with a device behind them, be it of a virtual machine: bridges, bonds, VLANs and tunnels carry the same bytes
 * once more. A container has none; there the ends of its cables count, whatever made them.
 */
function countedInterfaces(names: readonly string[], read: ReadFile, list: ListNames): Set<string> {
  const entries = new Map(names.map((name) => [name, list(`${SYSFS}/${name}`)]));
  const devices = names.filter((name) => entries.get(name)?.includes('device'));
  // Where a virtual function stands behind a synthetic one, both count the same bytes.
  const own = devices.filter((name) => !devices.includes(masterOf(name, read)));
  if (own.length > 0) return new Set(own);
  return new Set(names.filter((name) => isCableEnd(name, entries.get(name) ?? [], read)));
}

function isCableEnd(name: string, entries: readonly string[], read: ReadFile): boolean {
  if (entries.length === 0) return name !== 'lo';
  return !entries.some((entry) => STACKED.test(entry)) && !CARRIED.has(Number(read(`${SYSFS}/${name}/type`)));
}

/** `INTERFACE=eth0` in the uevent of what it is a part of. */
function masterOf(name: string, read: ReadFile): string {
  return /^INTERFACE=(.*)$/m.exec(read(`${SYSFS}/${name}/master/uevent`) ?? '')?.[1] ?? '';
}
