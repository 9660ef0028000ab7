import { IsOptional, IsString } from 'class-validator';
import type { CredentialClashView } from '../user-store/clashes/credential-clashes.js';
import type { UnsettledUserView } from '../user-store/life-cycle/unsettled-users.js';
import { STRING } from '../validation/messages.js';
import { MaxCharacters } from '../validation/rules.js';
import type { MachineView } from './machine.js';

export class SystemQuery {
  /** Count only users of the admin with this name. Empty or absent counts all users; plain admins always count their own. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;
}

export interface UserCountsView {
  /** The number of users. */
  total_user: number;
  /** The number of users with traffic in the last two minutes. */
  online_users: number;
  /** The number of active users. */
  active_users: number;
  /** The number of users on hold, whose time begins with their first traffic. */
  on_hold_users: number;
  /** The number of users whom an admin has disabled. */
  disabled_users: number;
  /** The number of users whose time has ended. */
  expired_users: number;
  /** The number of users whose traffic is used up. */
  limited_users: number;
}

/**
 * Figures of the machine on which management runs, and counts of users. For admins who are not sudo, the figures of the
 * machine are 0, and all others are about their own users.
 */
export interface SystemView extends MachineView, UserCountsView {
  /** The version of management. */
  version: string;
  /**
   * The number of bytes that users ever sent through all nodes, before usage coefficients. 0 for admins who are not sudo: the
   * traffic of one admin's users is counted without its direction.
   */
  incoming_bandwidth: number;
  /**
   * The number of bytes that users ever received through all nodes, before usage coefficients. For admins who are not sudo
   * the number of bytes that their users have ever used.
   */
  outgoing_bandwidth: number;
  /** The first 100 users for whom a due change fails, such as the end of their time. The log has the reasons. */
  unsettled_users: UnsettledUserView[];
  /** Users with the same credential, up to 100 of them. Empty for admins who are not sudo. */
  credential_clashes: CredentialClashView[];
}
