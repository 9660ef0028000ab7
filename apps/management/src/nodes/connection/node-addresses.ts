import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { ManagementEnv } from '../../env/management-env.js';
import { NodeProblem } from '../store/node-problem.js';
import { NameLookups } from './name-lookups.js';

type Address = ReturnType<typeof ipaddr.parse>;

/** Ranges in which no node can be: unspecified, broadcast, multicast and link-local addresses, and Teredo tunnels. */
const FORBIDDEN_RANGES = new Set(['unspecified', 'broadcast', 'multicast', 'linkLocal', 'teredo']);
/** Addresses of cloud metadata services, besides the link-local one. */
const METADATA_SERVICES = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']);

const FORBIDDEN = 'is an address that no node can have';
const NOT_PUBLIC = 'is not a public address, and RAMPART_NODE_ADDRESSES admits no other';

/** Decides to which addresses management connects. Names of nodes are resolved here and nowhere else. */
@Injectable()
export class NodeAddresses {
  constructor(
    private readonly env: ManagementEnv,
    private readonly names: NameLookups,
  ) {}

  /** Why management does not connect to an IP address; undefined: it does. */
  problemOf(text: string): string | undefined {
    const address = destination(ipaddr.process(text));
    if (!address || FORBIDDEN_RANGES.has(address.range()) || METADATA_SERVICES.has(address.toString()))
      return FORBIDDEN;
    return this.env.nodeAddresses === 'public' && address.range() !== 'unicast' ? NOT_PUBLIC : undefined;
  }

  /**
   * The admitted IP address of a node, to which the caller then connects without resolving the name again.
   *
   * @throws NodeProblem when there is none
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

  protected async lookUp(name: string): Promise<string[]> {
    try {
      return await this.names.resolve(name);
    } catch (cause) {
      throw new NodeProblem(`its name ${name} cannot be resolved now`, { cause });
    }
  }
}

/** Where packets to an address arrive: the IPv4 address that translators and tunnels embed. Undefined: unknown. */
function destination(address: Address): Address | undefined {
  if (address.kind() === 'ipv4') return address;
  const bytes = address.toByteArray();
  const range = address.range();
  if (range === '6to4') return ipaddr.fromByteArray(bytes.slice(2, 6));
  const isPrefixed = range === 'rfc6052' || range === 'rfc6145';
  const isCompatible = range === 'unicast' && bytes.slice(0, 12).every((byte) => byte === 0);
  if (!isPrefixed && !isCompatible) return address;
  // With other NAT64 prefix lengths, only that network knows which bits are the IPv4 address.
  if (range === 'rfc6052' && bytes.slice(4, 12).some((byte) => byte !== 0)) return undefined;
  return ipaddr.fromByteArray(bytes.slice(12));
}
