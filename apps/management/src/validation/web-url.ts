import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { Rule } from './rule.js';

const BEGINNING = '[Hh][Tt][Tt][Pp][Ss]?://';
const URL_PATTERN = new RegExp(`^${BEGINNING}[^\\s\\\\]+$`);

/** An http or https URL, or an empty text. */
export const IsWebUrl = (): PropertyDecorator =>
  Rule(
    'isWebUrl',
    { pattern: `^$|${URL_PATTERN.source}` },
    { validate: (text) => text === '' || parsed(text) !== undefined },
    { message: 'Input should be an http or https URL' },
  );

/** The beginning of http or https URLs, normalized. */
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

/** Normalizes a URL for headers: international names become ASCII, and trailing slashes are removed. */
export function webUrl(text: string): string {
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : text;
  // The lookbehind keeps the time linear for a text of a million slashes.
  return url.replace(/(?<!\/)\/+$/, '');
}

function isPrefix(text: unknown): boolean {
  const url = parsed(text);
  return url !== undefined && !/[?#]/.test(url.href);
}

/** A URL with scheme http or https and without credentials. Other schemes could run code or open programs on a click. */
function parsed(text: unknown): URL | undefined {
  if (typeof text !== 'string' || !URL_PATTERN.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === '' && url.password === '' ? url : undefined;
}
