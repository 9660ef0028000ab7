import type { Client } from './client.js';
import { firstClash, mihomo, mihomoLinks } from './mihomo.js';
import { singBox111, singBox114 } from './sing-box.js';
import { xrayJson, xrayLinks } from './xray.js';

/** The clients of the matrix, one for each column of the table. */
export const CLIENTS: readonly Client[] = [
  xrayLinks,
  xrayJson,
  singBox114,
  singBox111,
  mihomo,
  mihomoLinks,
  firstClash,
];
