import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { ManagementEnv } from '../../env/management-env.js';
import { NodeProblem } from '../store/node-problem.js';

type Address = ReturnType<typeof ipaddr.parse>;

/** Where no node can be: nobody in particular, everybody, the neighbours of a network card, tunnels through strangers. */
const NOWHERE = new Set(['unspecified', 'broadcast', 'multicast', 'linkLocal', 'teredo']);
/** Where clouds tell a machine its secrets, beside the link-local address. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']);

const NEVER = 'is an address that no node can have';
const NOT_PUBLIC = 'is not a public address, and RAMPART_NODE_ADDRESSES admits no other';

/** Which addresses management connects to for a node. What a name leads to is looked up here, and nowhere later. */
@Injectable()
export class NodeAddresses {
  constructor(private readonly env: ManagementEnv) {}

  /** Why no connection is made to an IP address, or undefined. */
  problemOf(text: string): string | undefined {
    const address = destination(ipaddr.process(text));
    if (!address || NOWHERE.has(address.range()) || METADATA.has(address.toString())) return NEVER;
    return this.env.nodeAddresses === 'public' && address.range() !== 'unicast' ? NOT_PUBLIC : undefined;
  }

  /**
   * The IP address of a node, the one that is then dialled: a name that leads elsewhere a moment later changes nothing.
   * @throws NodeProblem
   */
  async resolve(host: string): Promise<string> {
    const addresses = isIP(host) === 0 ? await this.lookUp(host) : [host];
    const admitted = addresses.find((address) => this.problemOf(address) === undefined);
    if (admitted !== undefined) return admitted;
    const [first] = addresses;
    if (first === undefined) throw new NodeProblem(`its name ${host} leads nowhere now`);
    const led = first === host ? '' : `, to which ${host} leads,`;
    throw new NodeProblem(`${first}${led} ${this.problemOf(first)}`);
  }

  /** IPv4 first: it is the one that works where only one of the two does. */
  protected async lookUp(name: string): Promise<string[]> {
    try {
      const found = await lookup(name, { all: true, order: 'ipv4first', hints: ADDRCONFIG });
      return found.map(({ address }) => address);
    } catch (cause) {
      throw new NodeProblem(`its name ${name} cannot be resolved now`, { cause });
    }
  }
}

/** Where packets to an address end: translators and tunnels carry an IPv4 address. Nothing where that cannot be told. */
function destination(address: Address): Address | undefined {
  if (address.kind() === 'ipv4') return address;
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6));
  const isPrefixed = range === 'rfc6052' || range === 'rfc6145';
  const isCompatible = range === 'unicast' && bytes.slice(0, 12).every((byte) => byte === 0);
  if (!isPrefixed && !isCompatible) return address;
  // Of the longer prefixes of NAT64 nobody but its network knows where the address stands.
  if (range === 'rfc6052' && bytes.slice(4, 12).some((byte) => byte !== 0)) return undefined;
  return ipaddr.fromByteArray(bytes.slice(12));
}
