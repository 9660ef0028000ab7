import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Rule } from './rule.js';

const BEGINNING = '[Hh][Tt][Tt][Pp][Ss]?://';
const URL_PATTERN = new RegExp(`^${BEGINNING}[^\\s\\\\]+$`);

/** An http or https address, or nothing. */
export const IsWebUrl = (): PropertyDecorator =>
  Rule(
    'isWebUrl',
    { pattern: `^$|${URL_PATTERN.source}` },
    { validate: (text) => text === '' || parsed(text) !== undefined },
    { message: 'Input should be an http or https URL' },
  );

/** The same as the beginning of other addresses, kept as those are to begin. */
export const IsWebUrlPrefix = (): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? webUrl(value) : value)),
    Rule(
      'isWebUrlPrefix',
      { pattern: `^$|^${BEGINNING}[^?#]+$` },
      { validate: (text) => text === '' || isPrefix(text) },
      { message: 'Input should be an http or https URL without query' },
    ),
  );

/** As it stands in headers, where only ASCII may: international names in their other spelling. No slash at the end. */
export function webUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : text;
  // The look behind keeps a million slashes from being counted from each of them.
  return url.replace(/(?<!\/)\/+$/, '');
}

function isPrefix(text: unknown): boolean {
  const url = parsed(text);
  return url !== undefined && !/[?#]/.test(url.href);
}

/** Other schemes run code or open programs where somebody clicks, and a password does not belong into an address. */
function parsed(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL_PATTERN.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
