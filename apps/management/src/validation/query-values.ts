import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsOptional, isBoolean } from 'class-validator';
import { BOOLEAN } from './messages.js';
import { Rule } from './rule.js';

// All values of a query are texts, and a member may be repeated.

/** Parses an integer. Other texts are returned unchanged, and the rules for integers then refuse them. */
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

/** A member that may be repeated: a list of parsed texts. */
export const Repeatable = (read: (text: unknown) => unknown = (text) => text): PropertyDecorator =>
  ListOf((text) => [read(text)]);

/** A member that may be repeated, and whose texts may each be several joined with commas. An empty text is no value. */
export const CommaSeparated = (): PropertyDecorator =>
  ListOf((text) => (typeof text === 'string' ? text.split(',').filter((part) => part !== '') : [text]));

const ListOf = (read: (text: unknown) => unknown[]): PropertyDecorator =>
  applyDecorators(
    IsOptional(),
    Transform(({ value }) => (value === undefined ? undefined : [value].flat().flatMap(read))),
  );
