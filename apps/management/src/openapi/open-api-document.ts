import { MANAGEMENT_ERRORS } from '../errors/management-error.js';
import { errorResponses, errorSchema } from './error-answers.js';
import { DTOS, HANDLERS, SCHEMAS } from './gen/shapes.js';
import { operationOf, TOKEN_PATH, tagOf } from './operation.js';
import type { RegisteredRoute } from './route-registry.js';
import { withRules } from './rule-schemas.js';
import type { Handler, OpenApiDocument, Schema } from './schema.js';

const REFERENCE = '#/components/schemas/';

/** The routes of the running app in OpenAPI 3.1: shapes from the types, limits from the rules of the DTOs. */
export function openApiDocument(routes: readonly RegisteredRoute[], version: string): OpenApiDocument {
  const schemas = completeSchemas();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const handler = handlerOf(route);
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const query = handler.query?.$ref ? schemas[handler.query.$ref.slice(REFERENCE.length)] : handler.query;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, handler, query ?? {}) };
  }
  const tags = [...new Set(routes.map((route) => tagOf(handlerOf(route))))].sort();
  return {
    openapi: '3.1.1',
    info: { title: 'Rampart management', version },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({ name })),
    paths,
    components: {
      schemas: { ...reachable(schemas, paths), Error: errorSchema(Object.keys(MANAGEMENT_ERRORS)) },
      responses: errorResponses(),
      securitySchemes: { login: { type: 'oauth2', flows: { password: PASSWORD_FLOW } } },
    },
  };
}

const PASSWORD_FLOW = {
  tokenUrl: TOKEN_PATH,
  scopes: { sudo: 'Of sudo admins; a token has what its admin is.', admin: 'Of every admin.' },
};

function handlerOf({ controller, handler }: RegisteredRoute): Handler {
  const known = HANDLERS[`${controller}.${handler}`];
  if (known) return known;
  throw new Error(`the shapes of ${controller}.${handler} are not known: run "npm run gen"`);
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

/** Those that the paths lead to; a query is told member by member. */
function reachable(schemas: Record<string, Schema>, paths: object): Record<string, Schema> {
  const names = new Set(namesIn(paths));
  for (const name of names) for (const inner of namesIn(schemas[name] ?? {})) names.add(inner);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name)));
}

const namesIn = (part: object): string[] =>
  [...JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
