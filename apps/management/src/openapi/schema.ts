import type { Schema } from '../validation/json-schema.js';

/** What a method of a controller takes and returns, according to its types. */
export interface Handler {
  /** The folder of the controller. */
  feature: string;
  description?: string;
  body?: Schema;
  query?: Schema;
  path: Record<string, Schema>;
  /** The schema of the answer; absent when there is none. */
  answer?: Schema;
}

/** The response object of OpenAPI, or a reference to one. */
export interface Response {
  $ref?: string;
  description?: string;
  headers?: Record<string, { description: string; schema: Schema }>;
  /** Contents by media type. */
  content?: Record<string, { schema: Schema; example?: unknown }>;
  /** Links by name to operations on what the answer contains. */
  links?: Record<string, { operationId: string; parameters: Record<string, string>; description: string }>;
}

/** The parameter object of OpenAPI. */
export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: true;
  description?: string;
  schema: Schema;
  example?: unknown;
}

/** The operation object of OpenAPI. */
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
  /** Operations by path and by method in lower case. */
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, object>;
  };
}
