import type { OpenApiDocument } from '../openapi/schema.js';
import type { Schema } from '../validation/json-schema.js';

/** By which names one comes to a member of a body; an element of a list has the name 0. */
export type MemberPath = readonly string[];

/** Every member that a body of this schema may have, those of its objects and elements of lists too. */
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

/** Every place in a value, itself included. */
export function placesIn(value: unknown): MemberPath[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([name, member]) => placesIn(member).map((path) => [name, ...path]));
  return [[], ...inner];
}

/** The body with another value at that place. A list that it does not have becomes one of that value; an object must be there. */
export function withMember(body: unknown, [name, ...rest]: MemberPath, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(body)) return body.map((item, at) => (String(at) === name ? withMember(item, rest, value) : item));
  if (name === '0') return [withMember(undefined, rest, value)];
  if (typeof body !== 'object' || body === null) throw new Error(`the full body has no object with a member ${name}`);
  return { ...body, [name]: withMember(Reflect.get(body, name), rest, value) };
}
