/**
 * Adds traffic to the counters of admins. `$1`: their ids, `$2`: the bytes of each one's users. Call it behind the change
 * of the users: rows are locked in the order users, then admins, and admins in the order of their ids.
 */
export const ADD_ADMIN_TRAFFIC = `
  WITH locked AS (
    SELECT admins.id, traffic.bytes
    FROM admins JOIN unnest($1::integer[], $2::numeric[]) AS traffic (id, bytes) ON traffic.id = admins.id
    ORDER BY admins.id FOR NO KEY UPDATE OF admins
  )
  UPDATE admins SET used_traffic = least(admins.used_traffic + locked.bytes, ${Number.MAX_SAFE_INTEGER})
  FROM locked WHERE admins.id = locked.id`;
