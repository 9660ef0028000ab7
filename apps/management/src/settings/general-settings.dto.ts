import {
  DEFAULT_SHADOWSOCKS_METHOD,
  SHADOWSOCKS_METHODS,
  type ShadowsocksMethod,
  VLESS_FLOWS,
  type VlessFlow,
} from '@rampart/domain';
import { IsIn } from 'class-validator';
import { oneOf } from '../validation/messages.js';

/** Defaults for the credentials of new users. */
export class GeneralSettings {
  /** The flow of VLESS. Empty means none. */
  @IsIn(VLESS_FLOWS, oneOf(VLESS_FLOWS))
  default_flow: VlessFlow = '';

  /** The method of Shadowsocks. */
  @IsIn(SHADOWSOCKS_METHODS, oneOf(SHADOWSOCKS_METHODS))
  default_method: ShadowsocksMethod = DEFAULT_SHADOWSOCKS_METHOD;
}
