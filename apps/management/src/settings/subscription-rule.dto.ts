import { SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import { IsDefined, IsIn, IsOptional, ValidateBy } from 'class-validator';
import { AsSent } from '../http/as-sent.js';
import { oneOf, REQUIRED } from '../http/messages.js';
import { RequiredText } from '../http/rules.js';
import { IsPattern } from './client-pattern.js';

const RULE_TARGETS = [...SUBSCRIPTION_FORMATS, 'block'] as const;

/** These say how the answer itself is to be read. */
const FRAMING =
  /^(connection|content-(encoding|length|type)|date|keep-alive|set-cookie|trailer|transfer-encoding|upgrade)$/i;

const IsAnswerHeaders = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isAnswerHeaders', validator: { validate: isAnswerHeaders } },
    { message: 'Input should map header names to strings of Latin characters without line breaks' },
  );

function isAnswerHeaders(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) =>
      /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(name) &&
      !FRAMING.test(name) &&
      typeof text === 'string' &&
      /^[\t\x20-\x7e\xa0-\xff]{0,1024}$/.test(text),
  );
}

/** Which format a client gets: the first rule whose pattern fits the beginning of its User-Agent. */
export class SubscriptionRule {
  @IsPattern()
  @RequiredText(256)
  pattern: string;

  @IsIn(RULE_TARGETS, oneOf(RULE_TARGETS))
  @IsDefined(REQUIRED)
  target: (typeof RULE_TARGETS)[number];

  @IsAnswerHeaders()
  @IsOptional()
  @AsSent()
  response_headers?: Record<string, string>;
}

/** The mihomo family comes before the rest of clash; whoever is not known gets what all can read. */
export const DEFAULT_RULES: SubscriptionRule[] = (
  [
    [
      '(?i)(clash[-. ]?(verge|meta|nyanpasu)|clashx meta|flclash|flowvy|koala-clash|mihomo|murge|prizrak-box)',
      'clash_meta',
    ],
    ['(?i)(clash|stash)', 'clash'],
    ['SF[AIMT]|(?i:hiddify|karing|.*sing-?box)', 'sing_box'],
    ['SS|Outline|Shadowsocks', 'outline'],
    ['InHive', 'xray'],
    ['.*', 'links_base64'],
  ] as const
).map(([pattern, target]) => Object.assign(new SubscriptionRule(), { pattern, target }));
