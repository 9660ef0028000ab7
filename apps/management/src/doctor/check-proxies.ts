import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { type Check, LOOPBACK_NETWORKS, networkMatcher, ok, warning } from '@rampart/program';
import ipaddr from 'ipaddr.js';
import { DataSource } from 'typeorm';
import { CoreRepository } from '../core-store/core.repository.js';
import { ManagementEnv } from '../env/management-env.js';
import { NodeAddresses } from '../nodes/connection/node-addresses.js';
import { NodeRepository } from '../nodes/store/node.repository.js';

const NAME = 'trusted proxies';
const EVERYWHERE = new Set(['0.0.0.0', '::']);

/** A node, as far as it matters for whom management believes. */
export interface PossibleSpeaker {
  readonly name: string;
  /** Its IP address. */
  readonly address: string;
  /** The networks that its core opens to users, of those that a node keeps them out of. */
  readonly privateNetworks: readonly string[];
}

interface Listening {
  readonly trustedProxies: readonly string[];
  /** The address on which management listens. */
  readonly host: string;
  /** The addresses of this machine, without loopback. */
  readonly own: readonly string[];
}

/**
 * The address from which users of a node can speak to management and are believed as a proxy; undefined: there is none. On
 * this machine that is the address to which they speak, from another one that of the node.
 */
export function trustedSourceOf(
  { address, privateNetworks }: PossibleSpeaker,
  { trustedProxies, host, own }: Listening,
): string | undefined {
  const [isTrusted, isOpened] = [networkMatcher(trustedProxies), networkMatcher(privateNetworks)];
  const listening = EVERYWHERE.has(host) ? ['127.0.0.1', '::1', ...own] : [host];
  const isHere = networkMatcher([...LOOPBACK_NETWORKS, ...own])(address);
  if (isHere) return listening.find((target) => isTrusted(target) && isOpened(target));
  if (!isTrusted(address)) return undefined;
  const isPublic = ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
  return isPublic || listening.some(isOpened) ? address : undefined;
}

/** Checks that no user of a node can speak to management from an address whose `X-Forwarded-For` is believed. */
@Injectable()
export class ProxyChecks {
  constructor(
    private readonly database: DataSource,
    private readonly env: ManagementEnv,
    private readonly nodes: NodeRepository,
    private readonly cores: CoreRepository,
    private readonly addresses: NodeAddresses,
  ) {}

  async run(): Promise<Check[]> {
    const { trustedProxies = [], host } = this.env;
    if (trustedProxies.length === 0) return [];
    const own = Object.values(networkInterfaces()).flatMap((infos) =>
      (infos ?? []).filter(({ internal }) => !internal).map(({ address }) => address),
    );
    const warnings = (await this.speakers()).flatMap((node) => {
      const source = trustedSourceOf(node, { trustedProxies, host, own });
      return source === undefined ? [] : [warningOf(node, source)];
    });
    return warnings.length > 0 ? warnings : [ok(NAME, 'no node lets its users speak from the address of one')];
  }

  private async speakers(): Promise<PossibleSpeaker[]> {
    const [nodes, cores] = await Promise.all([
      this.nodes.listNodes(this.database.manager, {}, {}),
      this.cores.findCores(this.database.manager),
    ]);
    const enabled = nodes.filter(({ status }) => status !== 'disabled');
    const found = await Promise.all(
      enabled.map(async ({ name, address, coreConfigId }) => {
        // A name that leads nowhere has a row of its own.
        const resolved = await this.addresses.resolve(address).catch(() => undefined);
        const core = cores.find(({ id }) => id === coreConfigId);
        return resolved === undefined || core === undefined
          ? []
          : [{ name, address: resolved, privateNetworks: core.privateNetworks }];
      }),
    );
    return found.flat();
  }
}

const warningOf = ({ name }: PossibleSpeaker, source: string): Check =>
  warning(
    NAME,
    `users of the node ${name} can speak from ${source}, which RAMPART_TRUSTED_PROXIES believes: they can forge addresses`,
    'Take the address of management out of private_networks of its core, or let the proxy speak from an address that is not that of a node.',
  );
