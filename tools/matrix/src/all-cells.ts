import type { Cell, Material } from './cells/cell.js';
import { combinationCells } from './cells/combinations.js';
import { clientSettingCases } from './cells/special-cases/client-settings.js';
import { overrideCases } from './cells/special-cases/overrides.js';
import { reachCases } from './cells/special-cases/reach.js';
import { securityCases } from './cells/special-cases/security.js';
import { textCases } from './cells/special-cases/texts.js';

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
