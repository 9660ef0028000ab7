import { SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import { IsDefined, IsIn, IsOptional } from 'class-validator';
import { IsFormat } from '../validation/is-format.js';
import { KeepRaw } from '../validation/keep-raw.js';
import { oneOf, REQUIRED } from '../validation/messages.js';
import { Rule } from '../validation/rule.js';
import { RequiredText } from '../validation/rules.js';
import { IsPattern } from './client-pattern.js';

const RULE_TARGETS = [...SUBSCRIPTION_FORMATS, 'block'] as const;

/** Headers that control the transfer of the answer, which rules may not set. */
const FRAMING =
  /^(connection|content-(encoding|length|type)|date|keep-alive|set-cookie|trailer|transfer-encoding|upgrade)$/i;

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,64}$/;

const IsAnswerHeaders = (): PropertyDecorator =>
  Rule(
    'isAnswerHeaders',
    {
      propertyNames: { pattern: HEADER_NAME.source },
      additionalProperties: { type: 'string', maxLength: 1024, pattern: '^[^\\x00-\\x08\\x0a-\\x1f\\x7f-\\x9f]*$' },
    },
    { validate: isAnswerHeaders },
    { message: 'Input should map header names to strings without line breaks and other control characters' },
  );

function isAnswerHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) =>
      HEADER_NAME.test(name) && !FRAMING.test(name) && typeof text === 'string' && /^[\t\P{Cc}]{0,1024}$/u.test(text),
  );
}

/**
 * A rule that selects the format for clients. The first rule applies whose pattern matches the beginning of the
 * User-Agent.
 */
export class SubscriptionRule {
  /**
   * A regular expression of RE2, without look-around and back-references, that is matched at the beginning of the
   * User-Agent.
   */
  @IsPattern()
  @RequiredText(256)
  pattern: string;

  /** The format for these clients. `block` refuses them. */
  @IsIn(RULE_TARGETS, oneOf(RULE_TARGETS))
  @IsDefined(REQUIRED)
  target: (typeof RULE_TARGETS)[number];

  /**
   * Headers to add to those of every answer, or to replace them. The values are format strings. Headers that control
   * the transfer of the answer are refused.
   */
  @IsFormat()
  @IsAnswerHeaders()
  @IsOptional()
  @KeepRaw()
  response_headers?: Record<string, string>;
}

/**
 * Clients that mention others in their User-Agent come first, and the mihomo family before the rest of clash. Unknown
 * clients get the format that every client can read.
 */
export const DEFAULT_RULES: SubscriptionRule[] = (
  [
    ['InHive', 'xray'],
    [
      '(?i)(clash[-. ]?(verge|meta|nyanpasu)|clashx meta|flclash|flowvy|koala-clash|mihomo|murge|prizrak-box)',
      'clash_meta',
    ],
    ['(?i)(clash|stash)', 'clash'],
    ['SF[AIMT]|(?i:hiddify|karing|.*sing-?box)', 'sing_box'],
    ['SS|Outline|Shadowsocks', 'outline'],
    ['.*', 'links_base64'],
  ] as const
).map(([pattern, target]) => Object.assign(new SubscriptionRule(), { pattern, target }));
