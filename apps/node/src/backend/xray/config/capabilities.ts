import { foldCase } from '@rampart/core-config';
import { isObject, type JsonObject } from './json-tree.js';

/** Capabilities of Linux that a configuration may ask for. */
export type Capability = 'net_bind_service' | 'net_admin';

/** Socket options that the kernel leaves to administrators of the network, unless they have these values. */
const ADMIN_OPTIONS = new Map([
  ['mark', '0'],
  ['tproxy', 'off'],
]);

/**
 * What the engine needs from the kernel for a configuration: ports below 1024 always, the network's administration only
 * for a TUN, for marked packets and for a transparent proxy.
 */
export function capabilitiesOf(tree: JsonObject): Capability[] {
  return asksForAdmin(tree) ? ['net_bind_service', 'net_admin'] : ['net_bind_service'];
}

function asksForAdmin(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(asksForAdmin);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, item]) => {
    const key = foldCase(name);
    if (key === 'protocol') return item === 'tun';
    // Without a TUN of the kernel WireGuard has one of its own.
    if (key === 'nokerneltun') return item === false;
    if (key === 'sockopt' && isObject(item) && asksForOption(item)) return true;
    return asksForAdmin(item);
  });
}

function asksForOption(sockopt: JsonObject): boolean {
  return Object.entries(sockopt).some(([name, value]) => {
    const harmless = ADMIN_OPTIONS.get(foldCase(name));
    return harmless !== undefined && !['', 'null', harmless].includes(String(value).toLowerCase());
  });
}
