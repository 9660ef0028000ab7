import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ModulesContainer } from '@nestjs/core';
import { contentType, SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import { Validator } from '@seriousme/openapi-schema-validator';
import { getMetadataStorage } from 'class-validator';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { MANAGEMENT_ERRORS } from '../errors/management-error.js';
import { routesOf } from '../testing/routes.js';
import { TestManagement } from '../testing/test-management.js';
import { DTOS, SCHEMAS } from './gen/shapes.js';
import { OpenApiService } from './open-api.service.js';
import { RouteRegistry } from './route-registry.js';
import type { OpenApiDocument, Operation } from './schema.js';

let management: TestManagement;
let document: OpenApiDocument;
let operations: [route: string, operation: Operation][];
beforeAll(async () => {
  management = await TestManagement.start();
  document = await management.app.get(OpenApiService).document();
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
});
afterAll(() => management?.close());

/** All routes of the API that Fastify's router knows, as `METHOD /path`, read from the tree that it prints; files of the dashboard are none. */
function routed(): string[] {
  const open: string[] = [];
  const lines = management.app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false }).split('\n');
  return lines.flatMap((line) => {
    const [, indent = '', part = '', methods = ''] = /^(.*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? [];
    open.splice(indent.length / 4, Number.POSITIVE_INFINITY, part);
    const path = open.join('').replaceAll(/:(\w+)/g, '{$1}');
    if (path.startsWith('/dashboard')) return [];
    return methods.split(', ').flatMap((method) => (method && method !== 'HEAD' ? `${method} ${path}` : []));
  });
}

describe('the document', () => {
  it('is returned to sudo admins', async () => {
    expect(await management.call('GET', '/api/openapi.json')).toEqual({
      status: 200,
      body: JSON.parse(JSON.stringify(document)),
    });
    expect(document.info).toMatchObject({
      title: 'Rampart management',
      version: MANAGEMENT_VERSION,
      license: { identifier: 'MIT' },
    });
  });

  it('without RAMPART_DOCS, the document is refused to all others, and there is no page', async () => {
    expect((await management.call('GET', '/api/openapi.json', undefined, '')).status).toBe(401);
    const nothing = { status: 404, body: { detail: 'Not Found', code: 'NOT_FOUND' } };
    expect(await management.call('GET', '/api/docs', undefined, '')).toEqual(nothing);
  });

  it('is valid OpenAPI 3.1', async () => {
    expect(document.openapi).toBe('3.1.1');
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  });

  it('describes every route of the router, and no other', () => {
    const others = operations.flatMap(([route, { description }]) =>
      [...description.matchAll(/The path `(.*?)` is understood too/g)].map(
        ([, path]) => `${route.split(' ')[0]} ${path}`,
      ),
    );
    expect(others.sort()).toEqual(['DELETE /api/admin/tokens/{token_id}', 'PUT /api/user/from_template/{username}']);
    expect([...operations.map(([route]) => route), ...others].sort()).toEqual(routed().sort());
    expect(operations.length).toBeGreaterThan(40);
  });

  it('has a schema for every answer that is always JSON', () => {
    const answers = operations.flatMap(([route, { responses }]) =>
      Object.values(responses).map(({ content = {} }) => ({ route, types: Object.keys(content).join(), content })),
    );
    const json = answers.filter(({ types }) => types === 'application/json');
    const shapeless = json.filter(({ content }) => Object.keys(content['application/json']?.schema ?? {}).length === 0);
    expect(shapeless.map(({ route }) => route)).toEqual([]);
  });

  it('names the media types of answers that are not JSON', () => {
    const typesOf = (route: string) =>
      Object.keys(Object.fromEntries(operations)[route]?.responses['200']?.content ?? {});
    expect(typesOf('GET /sub/{token}/{format}')).toEqual([
      ...new Set(SUBSCRIPTION_FORMATS.map((format) => contentType(format).split(';')[0])),
    ]);
    expect(typesOf('GET /api/node/{node_id}/logs')).toEqual(['text/event-stream']);
    expect(typesOf('GET /api/users')).toEqual(['application/json']);
  });

  it('does not describe a YAML or JSON answer as text', () => {
    const { content = {} } = Object.fromEntries(operations)['GET /sub/{token}/{format}']?.responses['200'] ?? {};
    const schemas = Object.entries(content).map(([type, { schema }]) => [type, schema]);
    expect(Object.fromEntries(schemas)).toEqual({
      'text/plain': { type: 'string' },
      'application/json': {},
      'text/yaml': {},
    });
  });

  it('gives every operation a unique name', () => {
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z][A-Za-z0-9]+$/.test(name))).toEqual([]);
  });

  it('states the access level of every route', () => {
    const levels = new Map(
      routesOf(management.app).map(({ route, level }) => [route.replaceAll(/:(\w+)/g, '{$1}'), level]),
    );
    const words = { sudo: /For sudo admins\.$/, admin: /For every admin; .*\.$/, public: /Open to all\.$/ };
    for (const [route, { description, security }] of operations) {
      const level = levels.get(route) ?? 'sudo';
      expect({ route, security }).toEqual({ route, security: level === 'public' ? [] : [{ login: [level] }] });
      expect(description).toMatch(words[level]);
    }
  });

  it('describes one route completely', () => {
    expect(Object.fromEntries(operations)['PUT /api/group/{group_id}']).toEqual({
      operationId: 'groupModify',
      tags: ['groups'],
      summary: 'Group: modify',
      description:
        'Changes a group, and with it the inbounds of its users on nodes and in subscriptions. For sudo admins.',
      security: [{ login: ['sudo'] }],
      parameters: [
        {
          name: 'group_id',
          in: 'path',
          required: true,
          description: 'The id of a group.',
          schema: { type: 'integer', minimum: 1, maximum: 2147483647 },
          example: 1,
        },
        {
          name: 'if-match',
          in: 'header',
          description:
            'The `ETag` or `version` of the object from which the change begins; it is refused (412) when the object has another one. Absent: the change is made in any case.',
          schema: { type: 'string' },
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { $ref: '#/components/schemas/GroupModify' }, example: { name: 'basic_1' } },
        },
      },
      responses: {
        200: {
          description: 'The answer.',
          headers: { etag: { description: 'The version of the object, for `If-Match`.', schema: { type: 'string' } } },
          content: { 'application/json': { schema: { $ref: '#/components/schemas/GroupView' } } },
        },
        ...Object.fromEntries(
          [400, 401, 403, 404, 408, 409, 412, 413, 415, 422, 431, 500, 503].map((status) => [
            status,
            { $ref: `#/components/responses/Error${status}` },
          ]),
        ),
        default: { $ref: '#/components/responses/Error' },
      },
    });
  });

  it('describes the login as a form too', () => {
    expect(Object.fromEntries(operations)['POST /api/admin/token']).toMatchObject({
      requestBody: { content: { 'application/json': {}, 'application/x-www-form-urlencoded': {} } },
      security: [],
    });
  });

  it('contains every error code under its status', () => {
    const codes = Object.keys(MANAGEMENT_ERRORS);
    expect(document.components['schemas']?.['Error']).toMatchObject({ properties: { code: { enum: codes } } });
    const texts = Object.entries(document.components['responses'] ?? {}).map(([name, response]) => [
      name,
      JSON.stringify(response),
    ]);
    const places = codes.map((code) => [
      code,
      texts.filter(([, text]) => text?.includes(`\`${code}\``)).map(([name]) => name),
    ]);
    // No operation answers 405, which means that the path does not have the method.
    const placeOf = (status: number) => (status === 405 ? 'Error' : `Error${status}`);
    expect(places).toEqual(Object.entries(MANAGEMENT_ERRORS).map(([code, { status }]) => [code, [placeOf(status)]]));
  });
});

it('the document links the object that a POST creates to the operations on it', () => {
  const linksOf = (route: string) => Object.fromEntries(operations)[route]?.responses[201]?.links;
  expect(linksOf('POST /api/group')).toEqual({
    groupGet: {
      operationId: 'groupGet',
      parameters: { group_id: '$response.body#/id' },
      description: 'Group: get, by the `id` of what was created.',
    },
    groupModify: expect.objectContaining({ parameters: { group_id: '$response.body#/id' } }),
    groupDelete: expect.objectContaining({ parameters: { group_id: '$response.body#/id' } }),
  });
  expect(linksOf('POST /api/user/from_template')).toMatchObject({
    userGet: { parameters: { username: '$response.body#/username' } },
  });
  const linked = operations.filter(([, { responses }]) => responses[201]?.links).map(([route]) => route);
  expect(linked.sort()).toEqual([
    'POST /api/admin',
    'POST /api/core',
    'POST /api/group',
    'POST /api/host',
    'POST /api/node',
    'POST /api/user',
    'POST /api/user/from_template',
    'POST /api/user_template',
  ]);
});

describe('the schemas', () => {
  it('contain the class of every body and query', () => {
    const classes = [...management.app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
      [...controllers.values()].map(({ metatype }) => Object(metatype)),
    );
    const taken = management.app
      .get(RouteRegistry)
      .routes()
      .flatMap(({ controller, handler }) => {
        const type = classes.find(({ name }) => name === controller);
        const types: unknown[] = Reflect.getMetadata('design:paramtypes', type.prototype, handler) ?? [];
        const sources = Object.keys(Reflect.getMetadata(ROUTE_ARGS_METADATA, type, handler) ?? {});
        return sources.flatMap((source) => (/^[34]:\d+$/.test(source) ? [types[Number(source.slice(2))]] : []));
      });
    expect(taken.length).toBeGreaterThan(20);
    expect(taken.filter((type) => type !== Array && !DTOS.some((dto) => dto === type))).toEqual([]);
  });

  it('contain all members with rules, and require those that must be sent', () => {
    for (const dto of DTOS) {
      const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
      if (rules.length === 0) continue; // no request
      const names = new Set(rules.map(({ propertyName }) => propertyName));
      const optional = new Set(
        rules.filter(({ name }) => name === 'isOptional').map(({ propertyName }) => propertyName),
      );
      const defaults: object = Reflect.construct(Object(dto), []);
      const required = [...names].filter((name) => !optional.has(name) && Reflect.get(defaults, name) === undefined);
      const schema = SCHEMAS[dto.name];
      expect([dto.name, Object.keys(schema?.properties ?? {}).sort()]).toEqual([dto.name, [...names].sort()]);
      expect([dto.name, [...(schema?.required ?? [])].sort()]).toEqual([dto.name, required.sort()]);
    }
  });

  it.each<[string, string, object, accepted: string[], refused: string[]]>([
    ['UserCreate', 'username', { minLength: 3, maxLength: 128 }, ['anna', 'a.b@c'], ['anna b', 'a..b', 'änna']],
    [
      'UserCreate',
      'expire',
      { type: ['integer', 'string', 'null'], minimum: 0 },
      ['2030-01-01', '2030-01-01T00:00:00Z'],
      ['soon', '2030-02-30', '2030-01-01T25:00:00Z'],
    ],
    ['HostCreate', 'address', { maxLength: 256 }, ['1.2.3.4', '*.{SERVER_IP}.example'], ['{NOTHING}.example']],
    ['NodeCreate', 'address', { maxLength: 253 }, ['node.example', '::1'], ['https://node.example', '[::1]', 'a b']],
    ['NodeCreate', 'api_key', { minLength: 16, maxLength: 256 }, ['a-key-of-16-signs'], ['a key with spaces in it']],
  ])('have the rules of %s %s as keywords', (name, member, keywords, accepted, refused) => {
    const { items, ...property } = Object(document.components.schemas[name]?.properties?.[member]);
    expectRules(items ?? property, keywords, accepted, refused);
  });

  it('have the rules of the parameter sort as keywords', () => {
    const [, { parameters = [] }] = operations.find(([route]) => route === 'GET /api/users')!;
    const { schema } = Object(parameters.find((parameter) => Reflect.get(parameter, 'name') === 'sort'));
    expectRules(schema, { type: 'string' }, ['', '-created_at,username'], ['password', 'username,', '--username']);
  });

  function expectRules(schema: { pattern: string }, keywords: object, accepted: string[], refused: string[]): void {
    expect(schema).toMatchObject({ ...keywords, pattern: expect.any(String) });
    const pattern = new RegExp(schema.pattern, 'u');
    expect([...accepted, ...refused].filter((value) => pattern.test(value))).toEqual(accepted);
  }
});
