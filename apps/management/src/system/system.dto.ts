import { IsOptional, IsString } from 'class-validator';
import { STRING } from '../http/messages.js';
import { MaxCharacters } from '../http/rules.js';
import type { MachineView } from './machine.js';

export class SystemQuery {
  /** Whose users are counted; without it everybody's. */
  @MaxCharacters(128)
  @IsString(STRING)
  @IsOptional()
  admin_username?: string;
}

export interface UserCountsView {
  total_user: number;
  /** With traffic in the last two minutes. */
  online_users: number;
  active_users: number;
  on_hold_users: number;
  disabled_users: number;
  expired_users: number;
  limited_users: number;
}

export interface SystemView extends MachineView, UserCountsView {
  version: string;
  /** Bytes through all nodes ever, raw: what users sent, and what they received. */
  incoming_bandwidth: number;
  outgoing_bandwidth: number;
}
