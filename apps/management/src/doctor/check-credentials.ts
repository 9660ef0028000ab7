import { type Check, ok, warning } from '@rampart/program';
import type { EntityManager } from 'typeorm';
import { credentialClashes } from '../user-store/clashes/credential-clashes.js';

const NAME = 'credentials';

/** Checks that no two users have the same stored credential. */
export async function checkCredentials(manager: EntityManager): Promise<Check[]> {
  const [first, ...others] = await credentialClashes(manager);
  if (!first) return [ok(NAME, 'no two users have the same one')];
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  return [
    warning(
      NAME,
      `${first.refused} has the ${first.credential} of ${first.holder}${more}: nodes serve the older one`,
      `Revoke the subscription of ${first.refused}: it gets new credentials. GET /api/system names all.`,
    ),
  ];
}
