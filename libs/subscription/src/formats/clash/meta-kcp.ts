import type { JsonObject } from '@rampart/core-config';
import type { KcpTransport } from '../../model/resolved-proxy.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { unlessEmpty } from './clash-stream.js';
import { renameMembers } from './rename-members.js';

const HEADERS: ReadonlyMap<unknown, string> = new Map([
  ['header-wechat', 'wechat-video'],
  ['header-srtp', 'srtp'],
  ['header-utp', 'utp'],
  ['header-dtls', 'dtls'],
  ['header-wireguard', 'wireguard'],
]);

/**
 * The kcp settings. mihomo has the original kcp, which the engine has as masks: one for encryption, and a header before it.
 */
export function metaKcp({ settings }: KcpTransport, { udp, ...others }: JsonObject): object | undefined {
  const masks: unknown[] = Array.isArray(udp) ? udp : [];
  const types = masks.map((mask): unknown => Object(mask).type);
  const seals = masks.filter((_, at) => types[at] === 'mkcp-original' || types[at] === 'mkcp-aes128gcm');
  const headers = types.filter((type) => HEADERS.has(type));
  const isKnown = seals.length === 1 && headers.length <= 1 && seals.length + headers.length === masks.length;
  if (!isKnown || Object.keys(others).length > 0) return undefined;
  const password: unknown = Object(Object(seals[0]).settings).password;
  const options = {
    ...renameMembers(settings, KCP_OPTIONS, [...KCP_OPTIONS.keys()]),
    ...nonEmptyMembers({ seed: typeof password === 'string' ? password : '', header: HEADERS.get(headers[0]) ?? '' }),
  };
  return { network: 'mkcp', ...unlessEmpty('mkcp-opts', options) };
}

const KCP_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['mtu', 'mtu'],
  ['tti', 'tti'],
  ['uplinkCapacity', 'uplink-capacity'],
  ['downlinkCapacity', 'downlink-capacity'],
  ['congestion', 'congestion'],
  ['readBufferSize', 'read-buffer'],
  ['writeBufferSize', 'write-buffer'],
]);
