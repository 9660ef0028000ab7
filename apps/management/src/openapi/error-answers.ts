import { MANAGEMENT_ERRORS } from '../errors/management-error.js';
import type { Schema } from '../validation/json-schema.js';
import type { RegisteredRoute } from './route-registry.js';
import type { Handler, Response } from './schema.js';

/** The schema of every error. */
export const errorSchema = (codes: readonly string[]): Schema => ({
  type: 'object',
  description: 'An error.',
  properties: {
    detail: {
      description: 'A sentence, or one for each field that is not as it must be.',
      anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' } }],
    },
    code: { type: 'string', enum: codes, description: 'The stable name of the error, for programs.' },
    ...(codes.includes('VERSION_CONFLICT') && {
      current: { type: 'object', description: 'The object as it is now. Only with VERSION_CONFLICT.' },
    }),
  },
  required: ['detail', 'code'],
});

/**
 * One response per status that operations refer to, such as `Error404`, with its error codes, and one for all other
 * errors.
 */
export function errorResponses(paths: object): Record<string, Response> {
  const statuses = [...new Set(Object.values(MANAGEMENT_ERRORS).map(({ status }) => status))].sort();
  const text = JSON.stringify(paths);
  const referred = statuses.filter((status) => text.includes(`#/components/responses/Error${status}"`));
  const others = statuses.filter((status) => !referred.includes(status));
  const byStatus = referred.map((status) => [`Error${status}`, errorResponse(status)]);
  return {
    ...Object.fromEntries(byStatus),
    Error: responseOf(['Any other error.', ...others.flatMap(sentencesOf)].join('\n'), {
      $ref: '#/components/schemas/Error',
    }),
  };
}

/** The error responses of a route, as far as its form tells; `default` stands for all others. */
export function errorsOf(
  { level, mediaTypes, method, isVersioned }: RegisteredRoute,
  { body, query, path }: Handler,
): Record<string, Response> {
  const names = Object.keys(path);
  const byShape: [boolean, number[]][] = [
    [level !== 'public' || body !== undefined, [401, 403]],
    [level === 'public' && body !== undefined, [429]],
    [names.length > 0, [404]],
    [mediaTypes.length > 1, [406]],
    [isVersioned && method !== 'GET', [412]],
    [level !== 'public' && body !== undefined, [400, 404, 409]],
    [body !== undefined, [408, 413, 415]],
    [body !== undefined || query !== undefined || names.length > 0, [422]],
    [true, [431, 500, 503]],
  ];
  const statuses = new Set(byShape.flatMap(([applies, errors]) => (applies ? errors : [])));
  const responses = [...statuses].map((status) => [status, { $ref: `#/components/responses/Error${status}` }]);
  return { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Error' } };
}

function errorResponse(status: number): Response {
  const codes = errorsWith(status).map(([code]) => code);
  return responseOf(sentencesOf(status).join('\n'), errorSchema(codes));
}

const errorsWith = (status: number) => Object.entries(MANAGEMENT_ERRORS).filter(([, error]) => error.status === status);

const sentencesOf = (status: number): string[] =>
  errorsWith(status).map(([code, { message }]) => `- \`${code}\`: ${message}`);

const responseOf = (description: string, schema: Schema): Response => ({
  description,
  content: { 'application/json': { schema } },
});
