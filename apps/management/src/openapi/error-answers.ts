import { MANAGEMENT_ERRORS } from '../errors/management-error.js';
import type { RegisteredRoute } from './route-registry.js';
import type { Handler, Response, Schema } from './schema.js';

/** What every error looks like. */
export const errorSchema = (codes: readonly string[]): Schema => ({
  type: 'object',
  properties: {
    detail: {
      description: 'A sentence, or one for each field that is not as it must be.',
      anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: { type: 'string' } }],
    },
    code: { type: 'string', enum: codes },
  },
  required: ['detail', 'code'],
});

/** `Error404` and the like: one answer per status of the catalogue, with its codes; and one for all errors. */
export function errorResponses(): Record<string, Response> {
  const statuses = new Set(Object.values(MANAGEMENT_ERRORS).map(({ status }) => status));
  const byStatus = [...statuses].sort().map((status) => [`Error${status}`, errorResponse(status)]);
  return {
    ...Object.fromEntries(byStatus),
    Error: responseOf('Any other error.', { $ref: '#/components/schemas/Error' }),
  };
}

/** Which of them a route can answer with, as far as its shape tells; the last stands for all others. */
export function errorsOf({ level }: RegisteredRoute, { body, query, path }: Handler): Record<string, Response> {
  const names = Object.keys(path);
  const byShape: [boolean, number[]][] = [
    [level !== 'public' || body !== undefined, [401, 403]],
    [level === 'public' && body !== undefined, [429]],
    [names.length > 0, [404]],
    [level !== 'public' && body !== undefined, [400, 404, 409]],
    [body !== undefined, [413, 415]],
    [body !== undefined || query !== undefined || names.length > 0, [422]],
  ];
  const statuses = new Set(byShape.flatMap(([applies, errors]) => (applies ? errors : [])));
  const responses = [...statuses].map((status) => [status, { $ref: `#/components/responses/Error${status}` }]);
  return { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Error' } };
}

function errorResponse(status: number): Response {
  const errors = Object.entries(MANAGEMENT_ERRORS).filter(([, error]) => error.status === status);
  const sentences = errors.map(([code, { message }]) => `- \`${code}\`: ${message}`);
  return responseOf(sentences.join('\n'), errorSchema(errors.map(([code]) => code)));
}

const responseOf = (description: string, schema: Schema): Response => ({
  description,
  content: { 'application/json': { schema } },
});
