import type { Actor } from '../../access/actor.js';
import type { PreparedQuery } from '../../database/prepared.js';

/** The claims of a login token about its admin. They are valid only while the admin's row agrees. */
export interface ClaimedAdmin {
  readonly adminId: number;
  readonly username: string;
  readonly version: number;
}

/** Every request runs this statement; requests that arrive together share one run. */
const ACTORS = {
  name: 'actors',
  text: `SELECT place, admins.id, admins.username, is_sudo AS "isSudo"
    FROM unnest((SELECT $1::integer[]), (SELECT $2::text[]), (SELECT $3::integer[])) WITH ORDINALITY
      AS given (id, username, version, place)
    JOIN admins ON admins.id = given.id AND admins.username = given.username AND token_version = version
    WHERE NOT is_disabled`,
};

/** Finds the enabled admins whose rows agree with the claims, in the order of the claims; undefined where none does. */
export async function findActors(
  query: PreparedQuery,
  claims: readonly ClaimedAdmin[],
): Promise<(Actor | undefined)[]> {
  const rows = await query<Actor & { place: string }>(ACTORS, [
    claims.map(({ adminId }) => adminId),
    claims.map(({ username }) => username),
    claims.map(({ version }) => version),
  ]);
  const found: (Actor | undefined)[] = claims.map(() => undefined);
  for (const { place, id, username, isSudo } of rows) found[Number(place) - 1] = { id, username, isSudo };
  return found;
}
