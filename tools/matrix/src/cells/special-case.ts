import type { Cell, Inbound, Json, Material, UserName } from './cell.js';
import {
  type InboundParts,
  inboundOf,
  type ProtocolName,
  type SecurityName,
  type TransportName,
} from './inbound-parts.js';
import { type Lacks, verdictsOf, type Written } from './verdicts.js';

/** What differs from the plain parts of the inbound. */
export interface CaseOptions {
  readonly user?: UserName;
  /** Inbounds that replace the one that is built from the parts. */
  readonly inbounds?: readonly Inbound[];
  readonly host?: Json;
  readonly shownAs?: string;
  readonly downloadHost?: Json;
  readonly lacks?: Lacks;
  readonly written?: Written;
}

export type InboundPartNames = readonly [ProtocolName, TransportName, SecurityName];

/** Builds a cell from a title, the parts of its inbound, and what is special about it. */
export function specialCase(
  material: Material,
  title: string,
  names: InboundPartNames,
  options: CaseOptions = {},
): Cell {
  const parts = partsOf(names);
  const { user = 'plain', host = {}, lacks = {}, written, downloadHost } = options;
  return {
    name: title,
    user,
    inbounds: options.inbounds ?? [{ config: inboundOf(parts, material) }],
    host,
    shownAs: options.shownAs ?? title,
    downloadHost,
    verdicts: verdictsOf(parts, lacks, written),
  };
}

export const partsOf = ([protocol, transport, security]: InboundPartNames): InboundParts => ({
  protocol,
  transport,
  security,
});

/** Builds an inbound from its parts and replaces some members. */
export const changed = (material: Material, names: InboundPartNames, change: Json): Inbound => ({
  config: { ...inboundOf(partsOf(names), material), ...change },
});

/** Builds an inbound from its parts and replaces some stream settings. */
export function withStream(material: Material, names: InboundPartNames, change: Json): Inbound {
  const config = inboundOf(partsOf(names), material);
  return { config: { ...config, streamSettings: { ...Object(config['streamSettings']), ...change } } };
}
