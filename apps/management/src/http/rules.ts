import { applyDecorators } from '@nestjs/common';
import { type ClassConstructor, Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { atMost, BOOLEAN, OBJECT, oneOf } from './messages.js';

/** An integer that may be left out. */
export function OptionalInteger(least: number, most: number): PropertyDecorator {
  const message = { message: `Input should be an integer from ${least} to ${most}` };
  return applyDecorators(IsOptional(), IsInt(message), Min(least, message), Max(most, message));
}

/** A list of ids, as the database has them. */
export function IdList(): PropertyDecorator {
  const message = { message: 'Input should be a list of ids' };
  const each = { each: true, ...message };
  return applyDecorators(IsArray(message), IsInt(each), Min(1, each), Max(2 ** 31 - 1, each));
}

export const OptionalIdList = (): PropertyDecorator => applyDecorators(IsOptional(), IdList());

export const OptionalBoolean = (): PropertyDecorator => applyDecorators(IsOptional(), IsBoolean(BOOLEAN));

export const OptionalOneOf = (values: readonly string[]): PropertyDecorator =>
  applyDecorators(IsOptional(), IsIn([...values], oneOf(values)));

/** An object with rules of its own that may be left out. */
export const OptionalObject = (type: () => ClassConstructor<object>): PropertyDecorator =>
  applyDecorators(IsOptional(), IsObject(OBJECT), ValidateNested(), Type(type));

/** `100`, `"100"` or `"100-200"`, each number with at most nine digits. */
export const OptionalRange = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    ValidateBy(
      { name: 'isRange', validator: { validate: (value) => isRange(value) } },
      { message: "Input should be an integer or a range such as '100-200'" },
    ),
  );

function isRange(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 && value < 1e9;
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(String(value)) ?? [];
  return typeof value === 'string' && from !== undefined && Number(from) <= Number(to);
}

/** A list whose elements, joined with commas, do not exceed a length. */
export const JoinedAtMost = (length: number): PropertyDecorator =>
  ValidateBy(
    { name: 'joinedAtMost', validator: { validate: (list) => Array.isArray(list) && list.join(',').length <= length } },
    { message: `Input should have at most ${length} characters when joined with commas` },
  );

/** A text no longer than its column, as PostgreSQL counts: class-validator leaves variation selectors out of the count. */
export const MaxCharacters = (length: number): PropertyDecorator =>
  ValidateBy(
    { name: 'maxCharacters', validator: { validate: (text) => typeof text === 'string' && fits(text, length) } },
    atMost(length),
  );

/** Characters outside the first plane are two units; what is longer than that is never counted through. */
const fits = (text: string, length: number): boolean => text.length <= 2 * length && [...text].length <= length;
