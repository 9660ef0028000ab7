import type { EntityManager } from 'typeorm';

/** The bytes that the users of an admin have ever used. */
export async function lifetimeTraffic(manager: EntityManager, adminId: number | null): Promise<number> {
  const [row] = await manager.query<{ bytes: string }[]>(
    'SELECT used_traffic + past_traffic AS bytes FROM admins WHERE id = $1',
    [adminId],
  );
  return Math.min(Number(row?.bytes ?? 0), Number.MAX_SAFE_INTEGER);
}
