import { SHADOWSOCKS_METHODS, type ShadowsocksMethod, VLESS_FLOWS, type VlessFlow } from '@rampart/domain';
import { Type } from 'class-transformer';
import { IsIn, IsObject, IsOptional, IsString, IsUUID, Length, ValidateNested } from 'class-validator';
import { OBJECT, oneOf, STRING } from '../http/messages.js';
import { OptionalOneOfSpelled } from '../http/rules.js';

const UUID = { message: 'Input should be a UUID' };
const between = (least: number, most: number) => ({
  message: `Input should have ${least} to ${most} characters`,
});

export class VmessInput {
  @IsUUID('loose', UUID)
  @IsOptional()
  id?: string | null;
}

export class VlessInput {
  @IsUUID('loose', UUID)
  @IsOptional()
  id?: string | null;

  @OptionalOneOfSpelled(VLESS_FLOWS, { none: '' })
  flow?: VlessFlow | null;
}

export class TrojanInput {
  @Length(2, 128, between(2, 128))
  @IsString(STRING)
  @IsOptional()
  password?: string | null;
}

export class ShadowsocksInput {
  @Length(22, 128, between(22, 128))
  @IsString(STRING)
  @IsOptional()
  password?: string | null;

  @IsIn(SHADOWSOCKS_METHODS, oneOf(SHADOWSOCKS_METHODS))
  @IsOptional()
  method?: ShadowsocksMethod | null;
}

/** Credentials that the caller gives; what it leaves out is made up, or stays as it is. */
export class ProxySettingsInput {
  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => VmessInput)
  vmess?: VmessInput | null;

  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => VlessInput)
  vless?: VlessInput | null;

  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => TrojanInput)
  trojan?: TrojanInput | null;

  @ValidateNested()
  @IsObject(OBJECT)
  @IsOptional()
  @Type(() => ShadowsocksInput)
  shadowsocks?: ShadowsocksInput | null;
}
