import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenApiDocument, Response } from '../schema.js';

export const JSON_TYPE = 'application/json';
const ANYTHING = {};
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface Route {
  method: (typeof METHODS)[number];
  path: string;
}

/**
 * Checks requests and answers against the document. Members of answers that the document does not mention are problems
 * too.
 */
export class AnswerChecker {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(closed(document), 'document');
    this.ajv.addSchema(document, 'open');
  }

  /** The routes with these methods whose answer is JSON or empty. */
  routes(...methods: Route['method'][]): Route[] {
    return Object.entries(this.document.paths).flatMap(([path, item]) =>
      methods.flatMap((method) => {
        const { responses = {} } = item[method.toLowerCase()] ?? {};
        const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
        return success && (!success.content || JSON_TYPE in success.content) ? [{ method, path }] : [];
      }),
    );
  }

  /** The problems of an answer; empty when there are none. */
  problems({ method, path }: Route, { status, body }: { status: number; body: unknown }): string[] {
    const response = this.responseOf({ method, path }, status);
    if (!response?.content) return response && body === undefined ? [] : ['is not described'];
    return this.problemsBy(closed(response.content[JSON_TYPE]?.schema ?? ANYTHING), body);
  }

  /** The problems of a request body. Unknown members are allowed, because nobody reads them. */
  requestProblems({ method, path }: Route, body: object): string[] {
    const { requestBody } = this.document.paths[path]?.[method.toLowerCase()] ?? {};
    const { schema = ANYTHING } = requestBody?.content[JSON_TYPE] ?? {};
    return this.problemsBy(opened(schema), body);
  }

  /** The problems of path and query parameters. */
  parameterProblems({ method, path }: Route, values: Readonly<Record<string, unknown>>): string[] {
    const { parameters = [] } = this.document.paths[path]?.[method.toLowerCase()] ?? {};
    const unknown = Object.keys(values).filter((name) => !parameters.some((parameter) => parameter.name === name));
    const missing = parameters.filter(({ name, required }) => required && !(name in values)).map(({ name }) => name);
    return [
      ...unknown.map((name) => `${name} is no parameter`),
      ...missing.map((name) => `${name} is missing`),
      ...parameters.flatMap(({ name, schema }) => (name in values ? this.problemsBy(schema, values[name]) : [])),
    ];
  }

  private problemsBy(schema: object, value: unknown): string[] {
    const validate = this.ajv.compile(schema);
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  private responseOf({ method, path }: Route, status: number): Response | undefined {
    const { responses = {} } = this.document.paths[path]?.[method.toLowerCase()] ?? {};
    const response = responses[status] ?? responses['default'];
    const name = response?.$ref?.split('/').at(-1);
    return name === undefined ? response : this.document.components.responses[name];
  }
}

/** The document with schemas that forbid unknown members, and with references that resolve outside of it. */
const closed = rewritten((part) =>
  JSON.parse(JSON.stringify(part), (name, value) => {
    if (name === '$ref') return `document${value}`;
    const isOpen = typeof value === 'object' && value?.properties && !value.additionalProperties;
    return isOpen ? { ...value, additionalProperties: false } : value;
  }),
);

/** The document with references that resolve outside of it. */
const opened = rewritten((part) => JSON.parse(JSON.stringify(part).replaceAll('"#/', '"open#/')));

/** Caches one result per part: Ajv compiles each object only once, which takes far longer than a check. */
function rewritten(rewrite: (part: object) => object): (part: object) => object {
  const known = new WeakMap<object, object>();
  return (part) => {
    const result = known.get(part) ?? rewrite(part);
    known.set(part, result);
    return result;
  };
}
