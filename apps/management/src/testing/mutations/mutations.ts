import { ACCESS_MUTATIONS } from './access.js';
import { CATALOGUE_MUTATIONS } from './catalogue.js';
import type { Mutations } from './mutation.js';
import { NODE_MUTATIONS } from './nodes.js';
import { TOTP_MUTATIONS } from './totp.js';
import { USER_MUTATIONS } from './users.js';

/** A request for every route that changes something. Tests over all routes fail when one is missing. */
export const MUTATIONS: Mutations = {
  ...ACCESS_MUTATIONS,
  ...CATALOGUE_MUTATIONS,
  ...NODE_MUTATIONS,
  ...TOTP_MUTATIONS,
  ...USER_MUTATIONS,
};
