import type { Client } from './client.js';
import { firstClash, mihomo, mihomoLinks } from './mihomo.js';
import { singBoxOf2024, singBoxToday } from './sing-box.js';
import { xrayJson, xrayLinks } from './xray.js';

/** One for each column of the table. */
export const CLIENTS: readonly Client[] = [
  xrayLinks,
  xrayJson,
  singBoxToday,
  singBoxOf2024,
  mihomo,
  mihomoLinks,
  firstClash,
];
