import { IsOptional, IsString } from 'class-validator';
import type { UnsettledUserView } from '../user-store/life-cycle/unsettled-users.js';
import { STRING } from '../validation/messages.js';
import { MaxCharacters } from '../validation/rules.js';
import type { MachineView } from './machine.js';

export class SystemQuery {
  /** Whose users are counted. Empty or absent: everybody's, for a plain admin its own. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;
}

export interface UserCountsView {
  /** How many users there are. */
  total_user: number;
  /** Those with traffic in the last two minutes. */
  online_users: number;
  /** Those who are served. */
  active_users: number;
  /** Those whose time begins with their first traffic. */
  on_hold_users: number;
  /** Those whom an admin has disabled. */
  disabled_users: number;
  /** Those whose time is over. */
  expired_users: number;
  /** Those whose traffic is used up. */
  limited_users: number;
}

/** The machine that management runs on, and counts of users. */
export interface SystemView extends MachineView, UserCountsView {
  /** The version of management. */
  version: string;
  /** Bytes through all nodes ever that users sent, before coefficients. */
  incoming_bandwidth: number;
  /** Bytes through all nodes ever that users received, before coefficients. */
  outgoing_bandwidth: number;
  /** For whom what is due fails, such as the end of their time, the first 100 of them. The log has the reasons. */
  unsettled_users: UnsettledUserView[];
}
