import type { Cell, Inbound, Json, Material, UserName } from '../cell.js';
import { inboundOf, type Parts, type ProtocolName, type SecurityName, type TransportName } from './parts.js';
import { type Lacks, verdictsOf, type Written } from './verdicts.js';

/** A setting or a mistake on top of what the parts are. */
export interface Twist {
  readonly user?: UserName;
  /** Instead of one inbound of the parts. */
  readonly inbounds?: readonly Inbound[];
  readonly host?: Json;
  readonly shownAs?: string;
  readonly downloadHost?: Json;
  readonly lacks?: Lacks;
  readonly written?: Written;
}

export type PartNames = readonly [ProtocolName, TransportName, SecurityName];

/** A named case: parts of the table of the field, and what is special about it. */
export function trap(material: Material, title: string, names: PartNames, twist: Twist = {}): Cell {
  const parts = partsOf(names);
  const { user = 'plain', host = {}, lacks = {}, written, downloadHost } = twist;
  return {
    name: title,
    user,
    inbounds: twist.inbounds ?? [{ config: inboundOf(parts, material) }],
    host,
    shownAs: twist.shownAs ?? title,
    downloadHost,
    verdicts: verdictsOf(parts, lacks, written),
  };
}

export const partsOf = ([protocol, transport, security]: PartNames): Parts => ({ protocol, transport, security });

/** An inbound of parts with other members. */
export const changed = (material: Material, names: PartNames, change: Json): Inbound => ({
  config: { ...inboundOf(partsOf(names), material), ...change },
});

/** An inbound of parts with other stream settings. */
export function withStream(material: Material, names: PartNames, change: Json): Inbound {
  const config = inboundOf(partsOf(names), material);
  return { config: { ...config, streamSettings: { ...Object(config['streamSettings']), ...change } } };
}
