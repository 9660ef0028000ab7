import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { siteOf } from './login-networks.js';

/** So many networks and browsers of an admin are remembered; those that were unused longest are forgotten. */
const MOST = 30;
const DAYS = 180;

/** The networks and browsers from which admins have logged in. What strangers do elsewhere does not keep them out there. */
@Injectable()
export class KnownOrigins {
  constructor(private readonly database: DataSource) {}

  /** The browser or, failing that, the network of a login, if the admin with this name is known there. */
  async find(username: string, ip: string, device: string | undefined): Promise<string | undefined> {
    const [found] = await this.database.query<{ origin: string }[]>(
      `SELECT origin FROM admin_origins JOIN admins ON admins.id = admin_id
       WHERE username = $1 AND origin = ANY ($2::text[]) AND last_used_at > now() - make_interval(days => ${DAYS})
       ORDER BY origin LIMIT 1`,
      [username, [networkOrigin(ip), ...(device === undefined ? [] : [deviceOrigin(device)])]],
    );
    return found?.origin;
  }

  /** Remembers the network of a successful login. */
  remember(adminId: number, ip: string): Promise<void> {
    return this.add(adminId, networkOrigin(ip));
  }

  /**
   * Remembers the browser of a successful login. Returns the secret of its cookie: the one that it has, if it is one of ours,
   * else a new one.
   */
  async rememberDevice(adminId: number, device: string | undefined): Promise<string> {
    const isOurs = device !== undefined && (await this.isDevice(device));
    const secret = isOurs ? device : newDevice();
    await this.add(adminId, deviceOrigin(secret));
    return secret;
  }

  private async isDevice(device: string): Promise<boolean> {
    const rows = await this.database.query<unknown[]>('SELECT 1 FROM admin_origins WHERE origin = $1 LIMIT 1', [
      deviceOrigin(device),
    ]);
    return rows.length > 0;
  }

  private async add(adminId: number, origin: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      const written = await manager.query<unknown[]>(
        `INSERT INTO admin_origins (admin_id, origin) VALUES ($1, $2) ON CONFLICT (admin_id, origin)
         DO UPDATE SET last_used_at = now() WHERE admin_origins.last_used_at < now() - interval '1 day' RETURNING origin`,
        [adminId, origin],
      );
      if (written.length === 0) return;
      await manager.query(
        `DELETE FROM admin_origins WHERE admin_id = $1 AND origin IN (
           SELECT origin FROM admin_origins WHERE admin_id = $1 ORDER BY last_used_at DESC, origin OFFSET ${MOST})`,
        [adminId],
      );
    });
  }
}

/** Forgets where an admin has logged in. Called when its password changes: somebody else may have known the old one. */
export async function forgetOrigins(manager: EntityManager, adminId: number): Promise<void> {
  await manager.query('DELETE FROM admin_origins WHERE admin_id = $1', [adminId]);
}

const newDevice = (): string => randomBytes(32).toString('base64url');

const networkOrigin = (ip: string): string => `network:${siteOf(ip)}`;

const deviceOrigin = (secret: string): string => `device:${createHash('sha256').update(secret).digest('base64url')}`;
