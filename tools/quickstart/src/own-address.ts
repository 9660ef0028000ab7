import type { NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';

export interface OwnAddress {
  readonly address: string;
  /** Explains to the operator how the address was found, such as "from RAMPART_PUBLIC_ADDRESS". */
  readonly origin: string;
}

/** Bridges and tunnels of containers and virtual machines, through which no client reaches this machine. */
const VIRTUAL = /^(docker|br-|veth|virbr|cni|flannel|cali|tun|tap|wg|utun)/;

/** The address for clients: the setting, else a public address of this machine, else a LAN address, else loopback. */
export function ownAddress(setting: string | undefined, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): OwnAddress {
  if (setting !== undefined) return { address: setting, origin: 'from RAMPART_PUBLIC_ADDRESS' };
  const addresses = Object.entries(interfaces)
    .filter(([name]) => !VIRTUAL.test(name))
    .flatMap(([, infos]) => infos ?? [])
    .filter((info) => !info.internal && info.family === 'IPv4')
    .map((info) => info.address);
  const isPublic = (address: string) => ipaddr.parse(address).range() === 'unicast';
  const found = addresses.find(isPublic);
  if (found !== undefined) return { address: found, origin: "this machine's public address" };
  const lan = addresses.find((address) => !isPublic(address));
  if (lan !== undefined) {
    return {
      address: lan,
      origin: "this machine's LAN address; set RAMPART_PUBLIC_ADDRESS to be reached from outside",
    };
  }
  return { address: '127.0.0.1', origin: 'no network found; set RAMPART_PUBLIC_ADDRESS to be reached from outside' };
}
