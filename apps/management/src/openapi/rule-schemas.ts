import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { Schema } from './schema.js';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** What a rule with these constraints adds to the schema that the type has. */
const RULES: Readonly<Record<string, (...constraints: unknown[]) => Schema>> = {
  min: (least) => (least === Number.MIN_VALUE ? { exclusiveMinimum: 0 } : { minimum: Number(least) }),
  max: (most) => ({ maximum: Number(most) }),
  isLength: (least, most) => ({ minLength: Number(least), maxLength: Number(most) }),
  maxCharacters: (most) => ({ maxLength: Number(most) }),
  isNotEmpty: () => ({ minLength: 1 }),
  isNotEmptyObject: () => ({ minProperties: 1 }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayMinSize: (least) => ({ minItems: Number(least) }),
  arrayMaxSize: (most) => ({ maxItems: Number(most) }),
  arrayUnique: () => ({ uniqueItems: true }),
  isIn: (values) => ({ enum: Array.isArray(values) ? values : [] }),
  isUuid: () => ({ format: 'uuid' }),
};

/** Their types say as much. */
const TYPES = ['isString', 'isBoolean', 'isNumber', 'isArray', 'isObject'];

/** Rules of ours that find their sentence when they see the value. */
const SENTENCES: Readonly<Record<string, string>> = {
  isAddress: 'An IP address or a domain name, without scheme, port or brackets.',
  isAdminName: '3 to 128 characters of a-z, A-Z, 0-9, -, _, @ and .',
  isApiKey: 'A UUID or another key that a node takes.',
  isFormat: 'A text with variables such as {USERNAME}; {{ and }} write a brace.',
  isGroupName: '3 to 64 characters of a-z and 0-9, later also - and _.',
  isServerCa: 'Certificates in PEM.',
  isSort: 'Members joined with commas, each with - before it for the other direction.',
  isUsername: '3 to 128 characters of a-z, A-Z, 0-9, -, _, @ and ., of the last four no two in a row.',
};

/** The schema of a DTO's type, completed by the rules of the DTO. */
export function withRules(schema: Schema, dto: abstract new () => object): Schema {
  const properties = { ...schema.properties };
  for (const rule of rulesOf(dto)) {
    const member = properties[rule.propertyName];
    if (!member) throw new Error(`the schema of ${dto.name} has no ${rule.propertyName}: run "npm run gen"`);
    properties[rule.propertyName] = withRule(member, rule);
  }
  return { ...schema, properties };
}

/** Those that hold for every value that is given. */
function rulesOf(dto: abstract new () => object): Rule[] {
  const all = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const conditions = all.filter(({ type, name }) => type === ValidationTypes.CONDITIONAL_VALIDATION && !name);
  const conditional = new Set(conditions.map(({ propertyName }) => propertyName));
  return all.filter(
    ({ type, propertyName }) => type === ValidationTypes.CUSTOM_VALIDATION && !conditional.has(propertyName),
  );
}

function withRule(schema: Schema, rule: Rule): Schema {
  if (rule.each && schema.items) return { ...schema, items: withRule(schema.items, { ...rule, each: false }) };
  const { name = '', constraints = [] } = rule;
  if (TYPES.includes(name)) return schema;
  if (name === 'isInt') return integer(schema);
  if (name === 'matches' && constraints[0] instanceof RegExp && constraints[0].flags === '') {
    return { ...schema, pattern: constraints[0].source };
  }
  const known = RULES[name]?.(...constraints);
  if (known?.enum && isNullable(schema)) return { ...schema, enum: [...known.enum, null] };
  if (known) return { ...schema, ...known };
  return described(schema, SENTENCES[name] ?? sentenceOf(rule));
}

/** A rule that only finds its sentence when it sees the value must be among SENTENCES. */
function sentenceOf({ name, message, propertyName }: Rule): string {
  if (typeof message === 'string') return `${message}.`;
  throw new Error(`openapi/rule-schemas.ts cannot say what the rule ${name} of ${propertyName} means`);
}

function described(schema: Schema, sentence: string): Schema {
  const { description = '' } = schema;
  return { ...schema, description: [description, sentence].filter((text) => text !== '').join(' ') };
}

function integer(schema: Schema): Schema {
  const types = [schema.type ?? []].flat().map((type) => (type === 'number' ? 'integer' : type));
  return { ...schema, type: types.length === 1 ? types[0]! : types };
}

const isNullable = ({ type, anyOf }: Schema): boolean =>
  [type ?? []].flat().includes('null') || (anyOf ?? []).some(isNullable);
