import { SHADOWSOCKS_METHODS, type ShadowsocksMethod, VLESS_FLOWS, type VlessFlow } from '@rampart/domain';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, IsString, IsUUID, Length, ValidateNested } from 'class-validator';
import { OBJECT, oneOf, STRING } from '../../validation/messages.js';
import { OptionalOneOfSpelled } from '../../validation/rules.js';

const UUID = { message: 'Input should be a UUID' };
const between = (least: number, most: number) => ({
  message: `Input should have ${least} to ${most} characters`,
});

/** Credentials for VMess. */
export class VmessInput {
  /** The UUID. Null or absent: random for a new user, unchanged for an existing one. */
  @IsUUID('loose', UUID)
  @IsOptional()
  id?: string | null;
}

/** Credentials for VLESS. */
export class VlessInput {
  /** The UUID. Null or absent: random for a new user, unchanged for an existing one. */
  @IsUUID('loose', UUID)
  @IsOptional()
  id?: string | null;

  /**
   * The flow; `none` is another spelling of the empty text. Null or absent: that of the settings for a new user,
   * unchanged for an existing one.
   */
  @OptionalOneOfSpelled(VLESS_FLOWS, { none: '' })
  flow?: VlessFlow | null;
}

/** Credentials for Trojan. */
export class TrojanInput {
  /** The password. Null or absent: random for a new user, unchanged for an existing one. */
  @Length(2, 128, between(2, 128))
  @IsString(STRING)
  @IsOptional()
  password?: string | null;
}

/** Credentials for Shadowsocks. */
export class ShadowsocksInput {
  /** The password. Null or absent: random for a new user, unchanged for an existing one. */
  @Length(22, 128, between(22, 128))
  @IsString(STRING)
  @IsOptional()
  password?: string | null;

  /**
   * The method; an inbound with a 2022 method uses its own instead. Null or absent: that of the settings for a new
   * user, unchanged for an existing one.
   */
  @IsIn(SHADOWSOCKS_METHODS, oneOf(SHADOWSOCKS_METHODS))
  @IsOptional()
  method?: ShadowsocksMethod | null;
}

/**
 * Credentials that the caller sets. Absent ones are generated for a new user and stay unchanged for an existing one.
 */
export class ProxySettingsInput {
  /** For VMess. Null or absent: generated for a new user, unchanged for an existing one. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => VmessInput)
  vmess?: VmessInput | null;

  /** For VLESS. Null or absent: generated for a new user, unchanged for an existing one. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => VlessInput)
  vless?: VlessInput | null;

  /** For Trojan. Null or absent: generated for a new user, unchanged for an existing one. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => TrojanInput)
  trojan?: TrojanInput | null;

  /** For Shadowsocks. Null or absent: generated for a new user, unchanged for an existing one. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => ShadowsocksInput)
  shadowsocks?: ShadowsocksInput | null;
}
