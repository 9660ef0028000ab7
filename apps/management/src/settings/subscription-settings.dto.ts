import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsString,
  isIP,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { IsFormat } from '../validation/is-format.js';
import { BOOLEAN, OBJECT, REQUIRED, STRING } from '../validation/messages.js';
import { Rule } from '../validation/rule.js';
import { MaxCharacters, ObjectList, Text } from '../validation/rules.js';
import { IsWebUrl, IsWebUrlPrefix } from '../validation/web-url.js';
import { ClientApplication, OneRecommendation } from './client-application.dto.js';
import { DEFAULT_RULES, SubscriptionRule } from './subscription-rule.dto.js';

/** A picture, which runs no scripts even as SVG, where an element shows it. */
const LOGO = /^$|^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,[\w+/]+={0,2}$/;

const HOURS = { message: 'Input should be an integer from 1 to 8760' };

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ADDRESS_PATTERNS = { 4: `^(?:${BYTE}\\.){3}${BYTE}$`, 6: '^[0-9a-fA-F:.]+(?:%[0-9a-zA-Z.]+)?$' };

/** An IP address of this version, or an empty text. */
const IsAddress = (version: 4 | 6): PropertyDecorator =>
  Rule(
    'isAddress',
    { pattern: `^$|${ADDRESS_PATTERNS[version]}` },
    { validate: (value) => value === '' || isIP(value, version) },
    { message: `Input should be an IPv${version} address` },
  );

/** Which formats have a path of their own, `/sub/{token}/{format}`. */
export class ManualFormats {
  /** Share links, one per line. */
  @IsBoolean(BOOLEAN)
  links = true;

  /** Share links, encoded in base64. */
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

/** The title of subscriptions that nobody has named. */
export const DEFAULT_PROFILE_TITLE = 'Subscription';

/** Settings of subscriptions. Absent members have their defaults. */
export class SubscriptionSettings {
  /**
   * The prefix of subscription URLs before `/sub/…`. Empty means RAMPART_PUBLIC_URL. `*` is replaced by 16 hexadecimal
   * digits that differ for each user.
   */
  @IsWebUrlPrefix()
  @Text(512)
  url_prefix = '';

  /** The number of hours after which clients should fetch again. */
  @Max(8760, HOURS)
  @Min(1, HOURS)
  @IsInt(HOURS)
  update_interval = 12;

  /** The http or https URL where users find help. Empty means none. */
  @IsWebUrl()
  @Text(512)
  support_url = '';

  /** The title of subscriptions, a format string such as `{USERNAME}`. */
  @IsFormat()
  @MaxCharacters(128)
  @IsNotEmpty(REQUIRED)
  @IsString(STRING)
  profile_title = DEFAULT_PROFILE_TITLE;

  /**
   * The logo on the page of a subscription, at most 6,000 characters: a PNG, JPEG, WebP, GIF or SVG picture as a `data:` URL in
   * base64, because the page loads nothing. Empty means the first letter of the title.
   */
  @Matches(LOGO, { message: 'Input should be a picture as a data: URL, such as data:image/png;base64,iVBORw0KGgo=' })
  @Text(6000)
  logo = '';

  /** A message that clients show. Empty means none. */
  @Text(128)
  announce = '';

  /** The http or https URL that a click on the message opens. Empty means none. */
  @IsWebUrl()
  @Text(512)
  announce_url = '';

  /** The IPv4 address for `{SERVER_IP}`. Empty means the public address of this machine. */
  @IsAddress(4)
  server_ip = '';

  /** The IPv6 address for `{SERVER_IPV6}`. Empty means the public address of this machine. */
  @IsAddress(6)
  server_ipv6 = '';

  /** Whether hosts appear only for users whose status the host lists. Otherwise the status has no influence. */
  @IsBoolean(BOOLEAN)
  host_status_filter = true;

  /** Whether the order of the hosts changes with each request. */
  @IsBoolean(BOOLEAN)
  randomize_order = false;

  /** Whether browsers get the same answer as applications, instead of the page. */
  @IsBoolean(BOOLEAN)
  disable_sub_template = false;

  /** Rules that select the format. The first rule applies whose pattern matches; clients that match no rule are refused. */
  @ObjectList(() => SubscriptionRule, 100)
  rules = DEFAULT_RULES;

  /** Which formats have a path of their own, `/sub/{token}/{format}`. */
  @Type(() => ManualFormats)
  @ValidateNested()
  @IsObject(OBJECT)
  manual_sub_request = new ManualFormats();

  /** The applications that the page offers. */
  @OneRecommendation()
  @ObjectList(() => ClientApplication, 100)
  applications: ClientApplication[] = [];
}
