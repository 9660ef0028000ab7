import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsNotEmpty, IsObject, IsString, isIP, Max, Min, ValidateNested } from 'class-validator';
import { IsFormat } from '../http/is-format.js';
import { BOOLEAN, OBJECT, REQUIRED, STRING } from '../http/messages.js';
import { Rule } from '../http/rule.js';
import { MaxCharacters, ObjectList, Text } from '../http/rules.js';
import { IsWebUrl, IsWebUrlPrefix } from '../http/web-url.js';
import { ClientApplication, OneRecommendation } from './client-application.dto.js';
import { DEFAULT_RULES, SubscriptionRule } from './subscription-rule.dto.js';

const HOURS = { message: 'Input should be an integer from 1 to 8760' };

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ADDRESS_PATTERNS = { 4: `^(?:${BYTE}\\.){3}${BYTE}$`, 6: '^[0-9a-fA-F:.]+(?:%[0-9a-zA-Z.]+)?$' };

/** An own address of the server, or nothing. */
const IsAddress = (version: 4 | 6): PropertyDecorator =>
  Rule(
    'isAddress',
    { pattern: `^$|${ADDRESS_PATTERNS[version]}` },
    { validate: (value) => value === '' || isIP(value, version) },
    { message: `Input should be an IPv${version} address` },
  );

/** Which formats a path may ask for. */
export class ManualFormats {
  @IsBoolean(BOOLEAN)
  links = true;

  @IsBoolean(BOOLEAN)
  links_base64 = true;

  @IsBoolean(BOOLEAN)
  xray = true;

  @IsBoolean(BOOLEAN)
  sing_box = true;

  @IsBoolean(BOOLEAN)
  clash = true;

  @IsBoolean(BOOLEAN)
  clash_meta = true;

  @IsBoolean(BOOLEAN)
  outline = true;
}

/** How subscriptions are addressed, what they tell, and who gets which format. */
export class SubscriptionSettings {
  /** Before `/sub/…`; empty: RAMPART_PUBLIC_URL. `*` becomes 16 hexadecimal digits of the user's own. */
  @IsWebUrlPrefix()
  @Text(512)
  url_prefix = '';

  /** In hours. */
  @Max(8760, HOURS)
  @Min(1, HOURS)
  @IsInt(HOURS)
  update_interval = 12;

  @IsWebUrl()
  @Text(512)
  support_url = '';

  @IsFormat()
  @MaxCharacters(128)
  @IsNotEmpty(REQUIRED)
  @IsString(STRING)
  profile_title = 'Subscription';

  @Text(128)
  announce = '';

  @IsWebUrl()
  @Text(512)
  announce_url = '';

  /** `{SERVER_IP}`; empty: this machine's own public address. */
  @IsAddress(4)
  server_ip = '';

  @IsAddress(6)
  server_ipv6 = '';

  /** Off: hosts show whatever the status of the user is. */
  @IsBoolean(BOOLEAN)
  host_status_filter = true;

  /** On: the order of the hosts is another one with each request. */
  @IsBoolean(BOOLEAN)
  randomize_order = false;

  /** On: browsers get what clients get. */
  @IsBoolean(BOOLEAN)
  disable_sub_template = false;

  @ObjectList(() => SubscriptionRule, 100)
  rules = DEFAULT_RULES;

  @Type(() => ManualFormats)
  @ValidateNested()
  @IsObject(OBJECT)
  manual_sub_request = new ManualFormats();

  @OneRecommendation()
  @ObjectList(() => ClientApplication, 100)
  applications: ClientApplication[] = [];
}
