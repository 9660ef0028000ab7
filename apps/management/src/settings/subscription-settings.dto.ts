import { Type } from 'class-transformer';
import { IsBoolean, IsInt, IsNotEmpty, IsObject, IsString, isIP, Max, Min, ValidateNested } from 'class-validator';
import { IsFormat } from '../validation/is-format.js';
import { BOOLEAN, OBJECT, REQUIRED, STRING } from '../validation/messages.js';
import { Rule } from '../validation/rule.js';
import { MaxCharacters, ObjectList, Text } from '../validation/rules.js';
import { IsWebUrl, IsWebUrlPrefix } from '../validation/web-url.js';
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

/** Which formats can be had by a path of their own. */
export class ManualFormats {
  /** Share links, one in a line. */
  @IsBoolean(BOOLEAN)
  links = true;

  /** The same in base64. */
  @IsBoolean(BOOLEAN)
  links_base64 = true;

  /** Profiles of Xray in JSON. */
  @IsBoolean(BOOLEAN)
  xray = true;

  /** A profile of sing-box in JSON. */
  @IsBoolean(BOOLEAN)
  sing_box = true;

  /** A profile of Clash in YAML. */
  @IsBoolean(BOOLEAN)
  clash = true;

  /** A profile of mihomo in YAML. */
  @IsBoolean(BOOLEAN)
  clash_meta = true;

  /** The access key of Outline in JSON. */
  @IsBoolean(BOOLEAN)
  outline = true;
}

/** How subscriptions are addressed, what they tell, and who gets which format. What is absent has its default. */
export class SubscriptionSettings {
  /** Before `/sub/…`; empty: RAMPART_PUBLIC_URL. `*` becomes 16 hexadecimal digits of the user's own. */
  @IsWebUrlPrefix()
  @Text(512)
  url_prefix = '';

  /** Hours after which clients are to fetch again. */
  @Max(8760, HOURS)
  @Min(1, HOURS)
  @IsInt(HOURS)
  update_interval = 12;

  /** Where users find help, an http or https URL; empty: none. */
  @IsWebUrl()
  @Text(512)
  support_url = '';

  /** The title of subscriptions, a format string such as `{USERNAME}`. */
  @IsFormat()
  @MaxCharacters(128)
  @IsNotEmpty(REQUIRED)
  @IsString(STRING)
  profile_title = 'Subscription';

  /** A message that clients show; empty: none. */
  @Text(128)
  announce = '';

  /** Where a click on the message leads, an http or https URL; empty: nowhere. */
  @IsWebUrl()
  @Text(512)
  announce_url = '';

  /** What `{SERVER_IP}` stands for, an IPv4 address; empty: this machine's own public address. */
  @IsAddress(4)
  server_ip = '';

  /** What `{SERVER_IPV6}` stands for, an IPv6 address; empty: this machine's own public address. */
  @IsAddress(6)
  server_ipv6 = '';

  /** Whether hosts show only to users in one of their states. Off: whatever the state of the user is. */
  @IsBoolean(BOOLEAN)
  host_status_filter = true;

  /** Whether the order of the hosts is another one with each request. */
  @IsBoolean(BOOLEAN)
  randomize_order = false;

  /** Whether browsers get what clients get, instead of the page. */
  @IsBoolean(BOOLEAN)
  disable_sub_template = false;

  /** Who gets which format: the first rule counts whose pattern fits. Whoever fits none is refused. */
  @ObjectList(() => SubscriptionRule, 100)
  rules = DEFAULT_RULES;

  /** Which formats can be had by a path of their own. */
  @Type(() => ManualFormats)
  @ValidateNested()
  @IsObject(OBJECT)
  manual_sub_request = new ManualFormats();

  /** The programs that the page offers. */
  @OneRecommendation()
  @ObjectList(() => ClientApplication, 100)
  applications: ClientApplication[] = [];
}
