import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readHandlers } from './read-handlers.mjs';

const HEAD = `
declare const Get: (path?: string) => MethodDecorator;
declare const Body: () => ParameterDecorator;
declare const Query: (name?: string) => ParameterDecorator;
declare const Param: (name: string) => ParameterDecorator;
interface Readable { pipe(): void }
interface Streamed<T> extends Readable { holds?: T }
`;

/** Reads a controller that has these types before it and contains this method. */
function read(types: string, method: string) {
  const folder = mkdtempSync(join(tmpdir(), 'rampart-openapi-'));
  try {
    const options = {
      target: 'es2022',
      module: 'nodenext',
      strict: true,
      experimentalDecorators: true,
      lib: ['es5'],
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
    const source = `${HEAD}${types}\nexport class AController {
${method}
}`;
    writeFileSync(join(folder, 'a.controller.ts'), source);
    return readHandlers(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe(readHandlers.name, () => {
  it('reads the parameters and the answer of a method', () => {
    const types = `
      /** One of them. */
      export interface View { id: number; name?: string; }
      export class Change { name: string; count = 1; old?: boolean | null; }`;
    const method = `/** Changes it. */ @Get() a(@Param('id') id: number, @Body() change: Change, x: string): Promise<View[]> { throw x; }`;
    expect(read(types, method)).toEqual({
      handlers: {
        'AController.a': {
          feature: 'a.controller.ts',
          description: 'Changes it.',
          body: { $ref: '#/components/schemas/Change' },
          query: undefined,
          path: { id: { type: 'integer' } },
          answer: { type: 'array', items: { $ref: '#/components/schemas/View' } },
        },
      },
      schemas: {
        Change: {
          type: 'object',
          properties: { name: { type: 'string' }, count: { type: 'integer' }, old: { type: ['boolean', 'null'] } },
          required: ['name'],
        },
        View: {
          description: 'One of them.',
          type: 'object',
          properties: { id: { type: 'integer' }, name: { type: 'string' } },
          required: ['id'],
        },
      },
      classes: [{ name: 'Change', file: expect.stringContaining('a.controller.ts') }],
    });
  });

  it('reads the comments of members, and takes missing ones from the type that @membersLike names', () => {
    const types = `
      export class Change {
        /** Its share.
         * @decimal */ share: number | null;
        /** When.
         * @format date-time */ at: string | 0;
        /** Its name. */ name: string;
      }
      /** One.
       * @membersLike Change */
      export interface View {
        share: number;
        /** Another name. */ name: string;
      }
      export interface Longer extends Omit<View, 'id'> { more: 1 }`;
    const { schemas } = read(types, '@Get() a(@Body() change: Change): [View, Longer] { throw change; }');
    expect(schemas).toMatchObject({
      Change: {
        properties: {
          share: { type: ['number', 'null'], description: 'Its share.' },
          at: { anyOf: [{ type: 'string', format: 'date-time' }, { enum: [0] }], description: 'When.' },
          name: { type: 'string', description: 'Its name.' },
        },
      },
      View: {
        description: 'One.',
        properties: {
          share: { type: 'integer', description: 'Its share.' },
          name: { type: 'string', description: 'Another name.' },
        },
      },
      Longer: { properties: { share: { description: 'Its share.' }, name: { description: 'Another name.' } } },
    });
  });

  it('converts every kind of type', () => {
    const members: [type: string, schema: object][] = [
      ['unknown', {}],
      ['object', { type: 'object' }],
      ["'b' | 'a'", { type: 'string', enum: ['a', 'b'] }],
      ["'a' | null", { type: ['string', 'null'], enum: ['a', null] }],
      ["'a'", { const: 'a' }],
      ['string | 0', { anyOf: [{ type: 'string' }, { type: 'integer', enum: [0] }] }],
      ['string | number | null', { type: ['integer', 'string', 'null'] }],
      ['true | string', { anyOf: [{ type: 'string' }, { type: 'boolean', enum: [true] }] }],
      ['Named | null', { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] }],
      ['readonly Named[]', { type: 'array', items: { $ref: '#/components/schemas/Named' } }],
      [
        '[number, string]',
        { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], minItems: 2, maxItems: 2 },
      ],
      ['Record<string, number>', { type: 'object', additionalProperties: { type: 'integer' } }],
      [
        "Omit<Base, 'b'> & { c: Date }",
        {
          type: 'object',
          properties: { a: { type: 'string' }, c: { type: 'string', format: 'date-time' } },
          required: ['a', 'c'],
        },
      ],
      ['Streamed<{ a: string }>', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }],
      ['Readable', { type: 'string' }],
    ];
    const types = 'type Named = { self?: Named } | string; interface Base { a: string; b: number }';
    const fields = members.map(([type], index) => `m${index}: ${type}`).join('; ');
    const { handlers, schemas } = read(types, `@Get() a(): { ${fields} } { throw 1; }`);
    const answer: { properties: Record<string, object> } = handlers['AController.a'].answer;
    expect(members.map(([type], index) => [type, answer.properties[`m${index}`]])).toEqual(members);
    expect(schemas['Named']).toEqual({
      anyOf: [{ type: 'object', properties: { self: { $ref: '#/components/schemas/Named' } } }, { type: 'string' }],
    });
  });

  it.each([
    [
      'two shapes of one name',
      'namespace A { export interface X { a: 1 } } interface X { b: 1 }',
      '@Get() a(): [A.X, X] { throw 1; }',
      'two types that the API shows are called X',
    ],
    [
      'a class that is not exported',
      'class Change { a: 1 }',
      '@Get() a(@Body() change: Change) { throw change; }',
      'the class Change is part of the API: export it',
    ],
    [
      'two controllers of one name',
      'class AController {}',
      '@Get() a(): 1 { throw 1; }',
      'two controllers are called AController',
    ],
    ['a query that is no DTO', '', "@Get() a(@Query('b') b: string) { throw b; }", 'a query is one DTO'],
    [
      'a type that is like no other',
      '/** @membersLike Nobody\n */ interface View { a: 1 }',
      '@Get() a(): View { throw 1; }',
      'View is to be like Nobody, which is not known there',
    ],
    ['what no JSON has', '', '@Get() a(): bigint { throw 1; }', 'no JSON has the type bigint'],
  ])('refuses %s', (_, types, method, message) => {
    expect(() => read(types, method)).toThrow(message);
  });
});
