import type { Cell, Material } from '../cell.js';
import { fieldCells } from './field.js';
import { clientSettingTraps } from './traps/client-settings.js';
import { overrideTraps } from './traps/overrides.js';
import { reachTraps } from './traps/reach.js';
import { securityTraps } from './traps/security.js';
import { textTraps } from './traps/texts.js';

/** The table, part by part: what was measured of clients, and what goes wrong elsewhere. */
export const PARTS: Readonly<Record<string, (material: Material) => Cell[]>> = {
  'Protocols, transports, securities': fieldCells,
  'What hosts set, and what they take from their inbounds': overrideTraps,
  'mux, fragment, noise': clientSettingTraps,
  'Trust, ECH, fingerprints, ALPN': securityTraps,
  'Ports, addresses, fallbacks': reachTraps,
  'Names, services, xhttp': textTraps,
};

export const allCells = (material: Material): readonly Cell[] =>
  Object.values(PARTS).flatMap((cells) => cells(material));
