import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Actor } from '../auth/actor.js';
import { PasswordHasher } from '../auth/password-hasher.js';
import type { AdminView } from './admin.dto.js';
import { Admin } from './admin.entity.js';

@Injectable()
export class AdminService {
  constructor(
    private readonly database: DataSource,
    private readonly passwords: PasswordHasher,
  ) {}

  async self(actor: Actor): Promise<AdminView> {
    const [row] = await this.database.query<Usage[]>(
      `SELECT count(*) AS users, coalesce(sum(used_traffic), 0) AS used,
         coalesce(sum(used_traffic + past_traffic), 0) AS lifetime
       FROM users WHERE admin_id = $1`,
      [actor.id],
    );
    return {
      username: actor.username,
      id: actor.id,
      is_sudo: actor.isSudo,
      is_disabled: false,
      // Sums over many users may pass what a number holds exactly; a rounded sum is still the best answer.
      total_users: Number(row?.users),
      used_traffic: Number(row?.used),
      lifetime_used_traffic: Number(row?.lifetime),
    };
  }

  /** Makes a sudo admin when there is none; says whether it did. */
  async createFirst(username: string, password: string): Promise<boolean> {
    if (await this.database.manager.existsBy(Admin, { isSudo: true })) return false;
    const passwordHash = await this.passwords.hash(password);
    // Of two replicas that start together the second finds the name taken.
    const { identifiers } = await this.database.manager
      .createQueryBuilder()
      .insert()
      .into(Admin)
      .values({ username, passwordHash, isSudo: true })
      .orIgnore()
      .execute();
    return identifiers.length > 0;
  }
}

interface Usage {
  users: string;
  used: string;
  lifetime: string;
}
