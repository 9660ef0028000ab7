import { applyDecorators } from '@nestjs/common';
import { MAX_INT32 } from '@rampart/domain';
import { isNetwork } from '@rampart/program';
import { type ClassConstructor, Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { atMost, BOOLEAN, OBJECT, oneOf, REQUIRED, STRING, STRINGS } from './messages.js';
import { Rule } from './rule.js';

/** An optional integer in a range. */
export function OptionalInteger(min: number, max: number): PropertyDecorator {
  const message = { message: `Input should be an integer from ${min} to ${max}` };
  return applyDecorators(IsOptional(), IsInt(message), Min(min, message), Max(max, message));
}

/** Maximum lengths of lists, because checking each element blocks the process. */
const MAX_IDS = 10_000;
const MAX_VALUES = 100;

/** A list of ids of database rows. */
export function IdList(): PropertyDecorator {
  const message = { message: 'Input should be a list of ids' };
  const each = { each: true, ...message };
  const longest = ArrayMaxSize(MAX_IDS, { message: `Input should be a list of at most ${MAX_IDS} ids` });
  return applyDecorators(IsArray(message), longest, IsInt(each), Min(1, each), Max(MAX_INT32, each));
}

export const OptionalIdList = (): PropertyDecorator => applyDecorators(IsOptional(), IdList());

export const OptionalBoolean = (): PropertyDecorator => applyDecorators(IsOptional(), IsBoolean(BOOLEAN));

export const OptionalOneOf = (values: readonly string[]): PropertyDecorator =>
  applyDecorators(IsOptional(), IsIn([...values], oneOf(values)));

/** One of several values, some with an alternative spelling in requests, such as `{ none: '' }`. */
export const OptionalOneOfSpelled = (
  values: readonly string[],
  spellings: Readonly<Record<string, string>>,
): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Rule(
      'isOneOfSpelled',
      { enum: [...values, ...Object.keys(spellings).filter((spelling) => !values.includes(spelling))] },
      { validate: (value) => typeof value === 'string' && values.includes(value) },
      oneOf(values),
    ),
    Transform(({ value }) => (typeof value === 'string' && Object.hasOwn(spellings, value) ? spellings[value] : value)),
  );

/** A list of some of several values; repetitions are allowed. */
export function OptionalSeveralOf(values: readonly string[]): PropertyDecorator {
  const longest = ArrayMaxSize(MAX_VALUES, { message: `Input should be a list of at most ${MAX_VALUES} values` });
  return applyDecorators(IsOptional(), IsArray(STRINGS), longest, IsIn([...values], { each: true, ...oneOf(values) }));
}

/** A list of networks such as `192.0.2.0/24`, and of single addresses. */
export function OptionalNetworks(max: number): PropertyDecorator {
  const message = `Input should be a list of at most ${max} networks such as 192.0.2.0/24`;
  return applyDecorators(
    IsOptional(),
    Rule(
      'areNetworks',
      { type: 'array', items: { type: 'string' }, maxItems: max },
      {
        validate: (list) =>
          Array.isArray(list) &&
          list.length <= max &&
          list.every((text) => typeof text === 'string' && isNetwork(text)),
      },
      { message },
    ),
  );
}

/** An optional object with rules of its own. */
export const OptionalObject = (type: () => ClassConstructor<object>): PropertyDecorator =>
  applyDecorators(IsOptional(), IsObject(OBJECT), ValidateNested(), Type(type));

/** A list of objects with rules of their own. */
export function ObjectList(type: () => ClassConstructor<object>, max: number): PropertyDecorator {
  const message = { message: `Input should be a list of at most ${max} objects` };
  return applyDecorators(
    IsArray(message),
    ArrayMaxSize(max, message),
    IsObject({ each: true, ...message }),
    ValidateNested({ each: true }),
    Type(type),
  );
}

/** `100`, `"100"` or `"100-200"`; each number has at most nine digits. */
export const OptionalRange = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Rule(
      'isRange',
      { type: ['integer', 'string', 'null'], minimum: 0, maximum: 999_999_999, pattern: RANGE.source },
      { validate: (value) => isRange(value) },
      { message: "Input should be an integer or a range such as '100-200'" },
    ),
  );

const RANGE = /^(\d{1,9})(?:-(\d{1,9}))?$/;

function isRange(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 1e9;
  const [, from, to = from] = RANGE.exec(String(value)) ?? [];
  return typeof value === 'string' && from !== undefined && Number(from) <= Number(to);
}

/** A list of texts whose total length, joined with commas, is limited. */
export const JoinedAtMost = (length: number): PropertyDecorator =>
  Rule(
    'joinedAtMost',
    { maxItems: length + 1, items: { maxLength: length } },
    { validate: (list) => Array.isArray(list) && list.join(',').length <= length },
    { message: `Input should have at most ${length} characters when joined with commas` },
  );

/** Limits the length in characters, as PostgreSQL counts them; class-validator does not count variation selectors. */
export const MaxCharacters = (length: number): PropertyDecorator =>
  Rule(
    'maxCharacters',
    { maxLength: length },
    { validate: (text) => typeof text === 'string' && fits(text, length) },
    atMost(length),
  );

/** A text with a maximum length. */
export const Text = (length: number): PropertyDecorator => applyDecorators(IsString(STRING), MaxCharacters(length));

export const OptionalText = (length: number): PropertyDecorator => applyDecorators(IsOptional(), Text(length));

export const RequiredText = (length: number): PropertyDecorator =>
  applyDecorators(IsDefined(REQUIRED), IsString(STRING), IsNotEmpty(REQUIRED), MaxCharacters(length));

/** Characters outside the basic plane count as two in `length`; texts that are longer than that are not counted. */
const fits = (text: string, length: number): boolean => text.length <= 2 * length && [...text].length <= length;
