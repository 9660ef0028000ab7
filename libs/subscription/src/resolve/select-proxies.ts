import { renderFormat } from '@rampart/domain';
import { selectRandomly } from '../compile/selection.js';
import type { CompiledHosts } from '../model/compiled-host.js';
import type { ProxyRequest, Random, SelectedProxy } from '../model/selected-proxy.js';
import { displayName, uniqueNames } from '../model/unique-names.js';
import { resolveProtocol } from './resolve-protocol.js';

/**
 * Selects the hosts that one request gets (contract: "Subscription generation rules"), in the order of the snapshot:
 * their names are unique, and one entry of each of their lists is selected at random.
 */
export function selectProxies(snapshot: CompiledHosts, request: ProxyRequest): SelectedProxy[] {
  const { user, inboundTags, values, random, everyStatus = false } = request;
  const uniqueName = uniqueNames();
  const proxies: SelectedProxy[] = [];
  // Methods such as `filter` are slow on frozen arrays; a loop is not.
  for (const host of snapshot.hosts) {
    if (!inboundTags.has(host.inbound.tag) || !(everyStatus || (host.status?.includes(user.status) ?? true))) continue;
    proxies.push({
      host,
      name: uniqueName(host.name ?? displayName(renderFormat(host.remark, values))),
      protocol: resolveProtocol(host.inbound, user.proxySettings),
      selection: selectRandomly(host, random),
      salt: randomSalt(random),
      snapshot,
      request,
    });
  }
  return proxies;
}

/** A function that returns the same 16 random hexadecimal digits at each call. They are made at the first call. */
export function randomSalt(random: Random): () => string {
  let salt: string | undefined;
  return () => {
    salt ??= eightDigits(random(2 ** 32)) + eightDigits(random(2 ** 32));
    return salt;
  };
}

/** Two halves of four digits are formatted faster than one number of 32 bits. */
const eightDigits = (value: number): string => fourDigits(value >>> 16) + fourDigits(value & 0xffff);

const fourDigits = (value: number): string => (0x1_0000 + value).toString(16).slice(1);
