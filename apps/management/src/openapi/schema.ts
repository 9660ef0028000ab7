/** The part of JSON Schema 2020-12 that this API needs. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  const?: string | number | boolean;
  enum?: readonly unknown[];
  anyOf?: Schema[];
  allOf?: Schema[];
  not?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
  /** What the names of members must be. */
  propertyNames?: Schema;
  items?: Schema;
  prefixItems?: Schema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

/** What a method of a controller takes and answers, as its types say it. */
export interface Handler {
  /** The folder in which it stands. */
  feature: string;
  description?: string;
  body?: Schema;
  query?: Schema;
  path: Record<string, Schema>;
  /** Absent: nothing. */
  answer?: Schema;
}

/** OpenAPI's response object, or a reference to one. */
export interface Response {
  $ref?: string;
  description?: string;
  /** By media type. */
  content?: Record<string, { schema: Schema; example?: unknown }>;
  /** By name: what can be done next with what the answer holds. */
  links?: Record<string, { operationId: string; parameters: Record<string, string>; description: string }>;
}

/** OpenAPI's parameter object. */
export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: true;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** OpenAPI's operation object. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: object[];
  parameters?: Parameter[];
  requestBody?: { required: true; content: NonNullable<Response['content']> };
  responses: Record<string, Response>;
}

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  /** By path, then by method in small letters. */
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, object>;
  };
}
