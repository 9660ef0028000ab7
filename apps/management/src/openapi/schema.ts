import type { Schema } from '../validation/json-schema.js';

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
