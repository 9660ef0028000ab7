import { describe, expect, it } from '@jest/globals';
import {
  ArrayNotEmpty,
  IsArray,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { IsFormat } from '../validation/is-format.js';
import type { Schema } from '../validation/json-schema.js';
import { IsMoment, MOMENT } from '../validation/moment.js';
import { Rule } from '../validation/rule.js';
import { MaxCharacters, OptionalIdList, OptionalOneOfSpelled, OptionalRange } from '../validation/rules.js';
import { IsSort, sortPattern } from '../validation/sort-keys.js';
import { withRules } from './rule-schemas.js';

/** Returns the schema of a member with this type and these rules. */
function member(type: Schema, ...rules: PropertyDecorator[]): unknown {
  class Dto {}
  for (const rule of rules) rule(Dto.prototype, 'it');
  return withRules({ type: 'object', properties: { it: type } }, Dto).properties?.['it'];
}

const STRING: Schema = { type: 'string' };

describe(withRules.name, () => {
  it.each<[string, Schema, PropertyDecorator[], Schema]>([
    ['an integer', { type: 'number' }, [IsInt(), Min(1), Max(9)], { type: 'integer', minimum: 1, maximum: 9 }],
    ['null beside it', { type: ['number', 'null'] }, [IsInt(), IsOptional()], { type: ['integer', 'null'] }],
    ['more than 0', { type: 'number' }, [Min(Number.MIN_VALUE)], { type: 'number', exclusiveMinimum: 0 }],
    ['a length', STRING, [IsString(), IsDefined(), Length(2, 3)], { type: 'string', minLength: 2, maxLength: 3 }],
    ['characters', STRING, [MaxCharacters(5)], { type: 'string', maxLength: 5 }],
    ['a pattern', STRING, [Matches(/^\d+$/)], { type: 'string', pattern: '^\\d+$' }],
    [
      'a pattern in any case',
      STRING,
      [Matches(/a/i, { message: 'Input should be a' })],
      { type: 'string', description: 'Input should be a.' },
    ],
    ['values', { type: ['string', 'null'] }, [IsIn(['b', 'a'])], { type: ['string', 'null'], enum: ['b', 'a', null] }],
    [
      'a list',
      { type: 'array', items: STRING },
      [IsArray(), ArrayNotEmpty(), IsIn(['a'], { each: true })],
      { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
    ],
    [
      'ids',
      { type: 'array', items: { type: 'number' } },
      [OptionalIdList()],
      { type: 'array', items: { type: 'integer', minimum: 1, maximum: 2147483647 }, maxItems: 10_000 },
    ],
    [
      'a rule with a sentence',
      { ...STRING, description: 'A key.' },
      [MinLength(3, { message: 'Input should be long' })],
      { type: 'string', description: 'A key. Input should be long.' },
    ],
    [
      'a rule of ours',
      STRING,
      [Rule('isOdd', { pattern: 'a' }, { validate: () => true })],
      { ...STRING, pattern: 'a' },
    ],
    [
      'two patterns',
      STRING,
      [Matches(/b/), Rule('isOdd', { pattern: 'a' }, { validate: () => true })],
      { ...STRING, pattern: 'b', allOf: [{ pattern: 'a' }] },
    ],
    [
      'a sort',
      STRING,
      [IsSort(sortPattern(['name', 'age']))],
      { ...STRING, pattern: '^(?:-?(?:name|age)(?:,-?(?:name|age))*)?$' },
    ],
    [
      'a moment that can be none',
      { type: ['number', 'string', 'null'] },
      [IsMoment()],
      {
        type: ['integer', 'string', 'null'],
        minimum: 0,
        maximum: 253_402_300_799,
        pattern: MOMENT.source,
      },
    ],
    [
      'a moment of a type with a name, which may have null in it',
      { $ref: '#/components/schemas/Moment' },
      [IsMoment()],
      {
        $ref: '#/components/schemas/Moment',
        type: ['integer', 'string', 'null'],
        minimum: 0,
        maximum: 253_402_300_799,
        pattern: MOMENT.source,
      },
    ],
    [
      'a range',
      { type: ['number', 'string'] },
      [OptionalRange()],
      { type: ['integer', 'string'], minimum: 0, maximum: 999_999_999, pattern: '^(\\d{1,9})(?:-(\\d{1,9}))?$' },
    ],
    [
      'the texts in a list',
      { type: 'array', items: STRING },
      [IsFormat(['USERNAME'])],
      { type: 'array', items: { ...STRING, pattern: '^(?:[^{}]|\\{\\{|\\}\\}|\\{(?:USERNAME)\\})*$' } },
    ],
    [
      'the texts in a map',
      { type: 'object', additionalProperties: STRING },
      [IsFormat(['USERNAME'])],
      {
        type: 'object',
        additionalProperties: { ...STRING, pattern: '^(?:[^{}]|\\{\\{|\\}\\}|\\{(?:USERNAME)\\})*$' },
      },
    ],
    [
      'another spelling of a value',
      { type: ['string', 'null'], enum: ['', 'vision', null] },
      [OptionalOneOfSpelled(['', 'vision'], { none: '' })],
      { type: ['string', 'null'], enum: ['', 'vision', 'none', null] },
    ],
    ['what counts for some values only', STRING, [MaxCharacters(5), ValidateIf(() => false)], STRING],
  ])('converts %s', (_, type, rules, expected) => {
    expect(member(type, ...rules)).toEqual(expected);
  });

  it('refuses rules that it cannot describe', () => {
    const rule = ValidateBy({ name: 'isOdd', validator: { validate: () => true, defaultMessage: () => '' } });
    expect(() => member(STRING, rule)).toThrow('cannot say what the rule isOdd of it means');
  });

  it('refuses a schema that is older than its DTO', () => {
    class Dto {
      @IsString()
      it: string;
    }
    expect(() => withRules({ type: 'object' }, Dto)).toThrow('the schema of Dto has no it: run "npm run gen"');
  });
});
