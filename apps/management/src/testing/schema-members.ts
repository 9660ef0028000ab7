import type { OpenApiDocument } from '../openapi/schema.js';
import type { Schema } from '../validation/json-schema.js';

/** The names that lead to a member of a body. An element of a list has the name 0. */
export type MemberPath = readonly string[];

/** All members that a body of this schema can have, including those of nested objects and list elements. */
export function membersOf(schema: Schema, document: OpenApiDocument): MemberPath[] {
  const { $ref, anyOf = [], items, properties = {} } = schema;
  const referred = $ref && document.components.schemas[$ref.split('/').at(-1) ?? ''];
  const inner = [...(referred ? [referred] : []), ...anyOf].flatMap((part) => membersOf(part, document));
  const named = [...Object.entries(properties), ...(items ? [['0', items] as const] : [])];
  const own = named.flatMap(([name, member]): MemberPath[] => [
    [name],
    ...membersOf(member, document).map((path) => [name, ...path]),
  ]);
  return [...inner, ...own];
}

/** All paths in a value, including the value itself. */
export function placesIn(value: unknown): MemberPath[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([name, member]) => placesIn(member).map((path) => [name, ...path]));
  return [[], ...inner];
}

/**
 * Returns the body with another value at a path. A missing list is created with that value; objects on the path must
 * exist.
 */
export function withMember(body: unknown, [name, ...rest]: MemberPath, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(body)) return body.map((item, at) => (String(at) === name ? withMember(item, rest, value) : item));
  if (name === '0') return [withMember(undefined, rest, value)];
  if (typeof body !== 'object' || body === null) throw new Error(`the full body has no object with a member ${name}`);
  return { ...body, [name]: withMember(Reflect.get(body, name), rest, value) };
}
