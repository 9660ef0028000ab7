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
  /** A UUID. Null or absent: one is made up, or stays. */
  @IsUUID('loose', UUID)
  @IsOptional()
  id?: string | null;
}

/** Credentials for VLESS. */
export class VlessInput {
  /** A UUID. Null or absent: one is made up, or stays. */
  @IsUUID('loose', UUID)
  @IsOptional()
  id?: string | null;

  /** The flow; `none` is another spelling of the empty text. Null or absent: that of the settings, or it stays. */
  @OptionalOneOfSpelled(VLESS_FLOWS, { none: '' })
  flow?: VlessFlow | null;
}

/** Credentials for Trojan. */
export class TrojanInput {
  /** The password. Null or absent: one is made up, or stays. */
  @Length(2, 128, between(2, 128))
  @IsString(STRING)
  @IsOptional()
  password?: string | null;
}

/** Credentials for Shadowsocks. */
export class ShadowsocksInput {
  /** The password. Null or absent: one is made up, or stays. */
  @Length(22, 128, between(22, 128))
  @IsString(STRING)
  @IsOptional()
  password?: string | null;

  /**
   * The method; an inbound with a 2022 method has its own instead. Null or absent: that of the settings, or it stays.
   */
  @IsIn(SHADOWSOCKS_METHODS, oneOf(SHADOWSOCKS_METHODS))
  @IsOptional()
  method?: ShadowsocksMethod | null;
}

/** Credentials that the caller gives; what it leaves out is made up, or stays as it is. */
export class ProxySettingsInput {
  /** For VMess. Null or absent: made up, or as it is. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => VmessInput)
  vmess?: VmessInput | null;

  /** For VLESS. Null or absent: made up, or as it is. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => VlessInput)
  vless?: VlessInput | null;

  /** For Trojan. Null or absent: made up, or as it is. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => TrojanInput)
  trojan?: TrojanInput | null;

  /** For Shadowsocks. Null or absent: made up, or as it is. */
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => ShadowsocksInput)
  shadowsocks?: ShadowsocksInput | null;
}
