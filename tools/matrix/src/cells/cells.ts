import type { Cell, Material } from '../cell.js';
import { combinationCells } from './combinations.js';
import { clientSettingCases } from './special-cases/client-settings.js';
import { overrideCases } from './special-cases/overrides.js';
import { reachCases } from './special-cases/reach.js';
import { securityCases } from './special-cases/security.js';
import { textCases } from './special-cases/texts.js';

/** The sections of the table: title, and the cells below it. */
export const SECTIONS: Readonly<Record<string, (material: Material) => Cell[]>> = {
  'Protocols, transports, securities': combinationCells,
  'What hosts set, and what they take from their inbounds': overrideCases,
  'mux, fragment, noise': clientSettingCases,
  'Trust, ECH, fingerprints, ALPN': securityCases,
  'Ports, addresses, fallbacks': reachCases,
  'Names, services, xhttp': textCases,
};

export const allCells = (material: Material): readonly Cell[] =>
  Object.values(SECTIONS).flatMap((cells) => cells(material));
