import { foldCase } from '@rampart/core-config';
import { isObject, type JsonObject } from './json-tree.js';

/** Capabilities of Linux that a configuration may ask for. */
export type Capability = 'net_bind_service' | 'net_admin';

/** Socket options that need `net_admin`, each with the value that needs nothing. */
const ADMIN_OPTIONS = new Map([
  ['mark', '0'],
  ['tproxy', 'off'],
]);

/**
 * Returns the capabilities that the engine needs for a configuration: `net_bind_service` always, for ports below 1024, and
 * `net_admin` for a TUN, for marked packets and for a transparent proxy.
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
    // WireGuard uses a TUN of its own unless it is told to use the kernel's.
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
