import { type CoreConfig, nodeTag } from '@rampart/core-config';
import { inboundWarnings } from '@rampart/subscription';

/** Some clients do not get an inbound, because they cannot connect to it. */
export interface ClientWarning {
  /** The part of the configuration that the warning is about, such as `inbounds[0]`. */
  readonly path: string;
  /** The kind of the warning, for programs. */
  readonly code: 'left_out_for_client';
  /** The warning in a sentence. */
  readonly message: string;
}

/** Checks the inbounds that clients connect to; inbounds behind a fallback or on a local address are skipped. */
export function clientWarnings({ tree, inbounds }: CoreConfig): ClientWarning[] {
  const places = placesOf(tree['inbounds']);
  const children = new Set(inbounds.flatMap(({ tag, parent }) => (parent === undefined ? [] : [nodeTag(tag)])));
  return inbounds
    .filter(({ tag, isLocal }) => !isLocal && !children.has(tag))
    .flatMap((inbound) =>
      inboundWarnings(inbound).map(({ message }) => ({
        path: places.get(nodeTag(inbound.tag)) ?? 'inbounds',
        code: 'left_out_for_client',
        message: `inbound ${inbound.tag} is ${message}`,
      })),
    );
}

function placesOf(inbounds: unknown): ReadonlyMap<unknown, string> {
  const list: readonly unknown[] = Array.isArray(inbounds) ? inbounds : [];
  return new Map(list.map((inbound, at) => [Object(inbound).tag, `inbounds[${at}]`]));
}
