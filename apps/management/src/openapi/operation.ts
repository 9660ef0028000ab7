import type { AccessLevel, IdentityProof } from '../access/access-level.js';
import { OWN_HEADER } from '../sessions/session-cookie.js';
import type { Schema } from '../validation/json-schema.js';
import { errorsOf } from './error-answers.js';
import { EXAMPLES, type Example } from './examples.js';
import { pathParameter } from './path-parameters.js';
import type { RegisteredRoute } from './route-registry.js';
import type { Handler, Operation, Parameter, Response } from './schema.js';

/** Folders whose operations belong to the subject of another folder. */
const SHARED_SUBJECTS: Readonly<Record<string, { tag: string; subject: string }>> = {
  'admin-users': { tag: 'admins', subject: 'Admin' },
  'group-members': { tag: 'groups', subject: 'Group' },
};

/** The path that issues login tokens, the only route that also accepts a form, as OAuth2 requires. */
export const TOKEN_PATH = '/api/admin/token';

/** The header by which a login of a browser shows that a page of this management sent it. */
const OWN_PAGE_HEADER: Parameter = {
  name: OWN_HEADER,
  in: 'header',
  required: true,
  description: 'Any value. Other sites cannot make a browser send it.',
  schema: { type: 'string', minLength: 1 },
};

/** The header by which a change names the version that it begins from. */
const IF_MATCH_HEADER: Parameter = {
  name: 'if-match',
  in: 'header',
  description:
    'The `ETag` or `version` of the object from which the change begins; it is refused (412) when the object has another one. Absent: the change is made in any case.',
  schema: { type: 'string' },
};

const ETAG_HEADER = {
  etag: { description: 'The version of the object, for `If-Match`.', schema: { type: 'string' } },
};

const LEVELS: Readonly<Record<AccessLevel, string>> = {
  sudo: 'For sudo admins.',
  admin: 'For every admin; one who is not sudo sees and changes own users only.',
  public: 'Open to all.',
};
/** What routes that change who may act ask for, beside the access level. */
const PROOFS: Readonly<Record<IdentityProof, string>> = {
  'fresh login':
    'Needs a login of the last ten minutes (401 `STEP_UP_REQUIRED`), or an API token with the grant `identity`.',
  body: 'API tokens need the grant `identity`.',
  'any login': 'API tokens need the grant `identity`.',
  connection:
    'A change of `address`, `port`, `server_ca` or `api_key` needs a login of the last ten minutes (401 `STEP_UP_REQUIRED`), or an API token with the grant `identity`.',
};
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The operation object of a route. `query` is the schema of the query's DTO; `otherPaths` lead to the same handler. */
export function operationOf(
  route: RegisteredRoute,
  handler: Handler,
  query: Schema,
  otherPaths: readonly string[],
): Operation {
  const { handler: method, level, identityProof } = route;
  const subject = SHARED_SUBJECTS[handler.feature]?.subject ?? route.controller.replace(/Controller$/, '');
  const operationId = lowerFirst(`${subject}${upperFirst(method)}`);
  const example = EXAMPLES[operationId] ?? {};
  const parameters = [
    ...pathParameters(route, handler, example),
    ...queryParameters(query, example),
    ...(operationId === 'authBeginSession'
      ? [{ ...OWN_PAGE_HEADER, ...exampleOf(OWN_PAGE_HEADER.name, example.headers) }]
      : []),
    ...(route.isVersioned && route.method !== 'GET' && route.status !== 201 ? [IF_MATCH_HEADER] : []),
  ];
  return {
    operationId,
    tags: [tagOf(handler)],
    summary: `${upperFirst(wordsOf(subject))}: ${wordsOf(method)}`,
    description: [
      handler.description,
      ...otherPaths.map(alsoAt),
      identityProof && PROOFS[identityProof],
      level && LEVELS[level],
    ]
      .filter(Boolean)
      .join(' '),
    security: level === 'public' ? [] : [{ login: [level] }],
    ...(parameters.length > 0 && { parameters }),
    ...(handler.body && { requestBody: bodyOf(route, handler.body, example) }),
    responses: { [route.status]: answerOf(route, handler), ...errorsOf(route, handler) },
  };
}

/** The tag of a feature. */
export const tagOf = ({ feature }: Handler): string => SHARED_SUBJECTS[feature]?.tag ?? feature.replaceAll('-', ' ');

const alsoAt = (path: string): string => `The path \`${path}\` is understood too.`;

function pathParameters({ path: registered }: RegisteredRoute, { path }: Handler, example: Example): Parameter[] {
  return Object.keys(path).map((name) => {
    const { description, ...schema } = pathParameter(registered, name);
    return { name, in: 'path', required: true, description, schema, ...exampleOf(name, example.path) };
  });
}

function queryParameters({ properties = {}, required = [] }: Schema, example: Example): Parameter[] {
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema,
    ...exampleOf(name, example.query),
  }));
}

const exampleOf = (name: string, values: Readonly<Record<string, unknown>> = {}): object =>
  name in values ? { example: values[name] } : {};

function bodyOf({ path }: RegisteredRoute, schema: Schema, { body }: Example): Operation['requestBody'] {
  const types = path === TOKEN_PATH ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE];
  return {
    required: true,
    content: Object.fromEntries(types.map((type) => [type, { schema, ...(body !== undefined && { example: body }) }])),
  };
}

function answerOf({ status, mediaTypes, isVersioned }: RegisteredRoute, { answer }: Handler): Response {
  if (!answer) return { description: status === 204 ? 'Done.' : 'Nothing.' };
  const description = status === 201 ? 'Created.' : 'The answer.';
  const types = mediaTypes.length > 0 ? mediaTypes : [JSON_TYPE];
  return {
    description,
    ...(isVersioned && { headers: ETAG_HEADER }),
    content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(answer, type) }])),
  };
}

/**
 * The schema of an answer. Handlers that write a document as text declare JSON or YAML, whose contents are not
 * described.
 */
const schemaOf = (answer: Schema, type: string): Schema =>
  answer.type === 'string' && /json|yaml/.test(type) ? {} : answer;

const wordsOf = (name: string): string => lowerFirst(name).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
