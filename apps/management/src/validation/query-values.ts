import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsOptional, isBoolean } from 'class-validator';
import { BOOLEAN } from './messages.js';
import { Rule } from './rule.js';

// A query has nothing but text, and a member of it may stand there more than once.

/** An integer in digits. Anything else stays the text that it is, which no rule for integers takes. */
export const integerOf = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : text;

export const IntegerText = (): PropertyDecorator => Transform(({ value }) => integerOf(value));

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

export const BooleanText = (): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Rule(
      'isBooleanText',
      { type: ['boolean', 'integer'], enum: [true, false, 1, 0] },
      { validate: isBoolean },
      BOOLEAN,
    ),
    Transform(({ value }) => BOOLEANS.get(value) ?? value),
  );

/** One or more of what `read` makes of a text. */
export const Repeatable = (read: (text: unknown) => unknown = (text) => text): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Transform(({ value }) => (value === undefined ? undefined : [value].flat().map(read))),
  );
