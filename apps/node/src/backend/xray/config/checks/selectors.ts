import { isReserved, RESERVED_PREFIX } from '@rampart/core-config';
import { refuse, textsAt } from '../json-tree.js';
import type { NodeConfig } from '../node-config.js';

/** Throws CONFIG_REFUSED for a selector of a balancer or observatory that would select the outbound of the engine's API. */
export function checkSelectors({ balancers, observers }: NodeConfig): void {
  const selectors = [
    ...balancers.flatMap((balancer) => textsAt(balancer, 'selector')),
    ...observers.flatMap(({ section }) => textsAt(section, 'subjectSelector')),
  ];
  const reserved = selectors.find(
    (selector) => selector !== '' && (RESERVED_PREFIX.startsWith(selector) || isReserved(selector)),
  );
  if (reserved !== undefined) refuse(`selector "${reserved}" would pick what is reserved for the node`);
}
