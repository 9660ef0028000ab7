import { MANAGEMENT_ERRORS } from '../errors/management-error.js';
import type { Schema } from '../validation/json-schema.js';
import { errorResponses, errorSchema } from './error-answers.js';
import { DTOS, HANDLERS, SCHEMAS } from './gen/shapes.js';
import { linkCreated } from './links.js';
import { operationOf, TOKEN_PATH, tagOf } from './operation.js';
import type { RegisteredRoute } from './route-registry.js';
import { withRules } from './rule-schemas.js';
import type { Handler, OpenApiDocument } from './schema.js';
import { TAG_DESCRIPTIONS } from './tags.js';

const REFERENCE = '#/components/schemas/';

/**
 * Describes the routes of the running app in OpenAPI 3.1: schemas come from the types, limits from the rules of the
 * DTOs.
 */
export function openApiDocument(routes: readonly RegisteredRoute[], version: string): OpenApiDocument {
  const schemas = completeSchemas();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes.filter(({ order }) => order === 0)) {
    const handler = handlerOf(route);
    const path = inBraces(route.path);
    const query = handler.query?.$ref ? schemas[handler.query.$ref.slice(REFERENCE.length)] : handler.query;
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: operationOf(route, handler, query ?? {}, otherPathsOf(route, routes)),
    };
  }
  linkCreated(paths, schemas);
  const tags = [...new Set(routes.map((route) => tagOf(handlerOf(route))))].sort();
  return {
    openapi: '3.1.1',
    info: { ...INFO, version },
    servers: [{ url: '/' }],
    tags: tags.map(describedTag),
    paths,
    components: {
      schemas: { ...reachable(schemas, paths), Error: errorSchema(Object.keys(MANAGEMENT_ERRORS)) },
      responses: errorResponses(paths),
      securitySchemes: { login: { type: 'oauth2', flows: { password: PASSWORD_FLOW } } },
    },
  };
}

const INFO = {
  title: 'Rampart management',
  summary: 'The API of a panel for proxy servers and the people who use them.',
  description: [
    'Bodies and answers are JSON. An admin logs in with `POST /api/admin/token` and sends the token as `authorization: Bearer`.',
    'Browsers log in with `POST /api/admin/session`, which sets a cookie instead.',
    'Members of a request that its schema does not have are ignored, except where it says that there are no others.',
    'Moments of requests are unix seconds or ISO 8601, without a zone in UTC; answers have them in ISO 8601 in UTC.',
    'Sizes are bytes, durations are seconds.',
    'Every error has a sentence in `detail` and a stable `code`.',
  ].join(' '),
  license: { name: 'MIT', identifier: 'MIT' },
};

const inBraces = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/**
 * The other paths of the same handler. Only the first is described, because templates of several paths could be
 * ambiguous.
 */
function otherPathsOf({ controller, handler, path }: RegisteredRoute, routes: readonly RegisteredRoute[]): string[] {
  const same = routes.filter((route) => route.controller === controller && route.handler === handler);
  return same.flatMap((route) => (route.path === path ? [] : inBraces(route.path)));
}

function describedTag(name: string): { name: string; description: string } {
  const description = TAG_DESCRIPTIONS[name];
  if (description === undefined) throw new Error(`openapi/tags.ts does not describe ${name}`);
  return { name, description };
}

const PASSWORD_FLOW = {
  tokenUrl: TOKEN_PATH,
  scopes: { sudo: 'Of sudo admins; a token has what its admin is.', admin: 'Of every admin.' },
};

function handlerOf({ controller, handler }: RegisteredRoute): Handler {
  const known = HANDLERS[`${controller}.${handler}`];
  if (known) return known;
  throw new Error(`the schemas of ${controller}.${handler} are missing: run "npm run gen"`);
}

function completeSchemas(): Record<string, Schema> {
  const dtos = new Map(DTOS.map((dto) => [dto.name, dto]));
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schema]) => {
      const dto = dtos.get(name);
      return [name, dto ? withRules(schema, dto) : schema];
    }),
  );
}

/** The schemas to which the paths refer. Queries are described member by member, so their schemas are not needed. */
function reachable(schemas: Record<string, Schema>, paths: object): Record<string, Schema> {
  const names = new Set(namesIn(paths));
  for (const name of names) for (const inner of namesIn(schemas[name] ?? {})) names.add(inner);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
}

const namesIn = (part: object): string[] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
