import { getMetadataStorage, ValidationTypes } from 'class-validator';
import type { Schema } from '../validation/json-schema.js';
import { rejectsUnknownMembers } from '../validation/reject-unknown-members.js';
import { RuleSchema } from '../validation/rule.js';

type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** The schema of each rule by its name, made from its constraints. */
const RULES: Readonly<Record<string, (...constraints: unknown[]) => Schema>> = {
  min: (least) => (least === Number.MIN_VALUE ? { exclusiveMinimum: 0 } : { minimum: Number(least) }),
  max: (most) => ({ maximum: Number(most) }),
  isLength: (least, most) => ({ minLength: Number(least), maxLength: Number(most) }),
  isNotEmpty: () => ({ minLength: 1 }),
  isNotEmptyObject: () => ({ minProperties: 1 }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayMinSize: (least) => ({ minItems: Number(least) }),
  arrayMaxSize: (most) => ({ maxItems: Number(most) }),
  arrayUnique: () => ({ uniqueItems: true }),
  isIn: (values) => ({ enum: Array.isArray(values) ? values : [] }),
  isUuid: () => ({ format: 'uuid' }),
};

/** Rules that add nothing to the type of the member. */
const TYPES = ['isString', 'isBoolean', 'isNumber', 'isArray', 'isObject'];

/** The schema of the type of a DTO, extended by the rules of the DTO. */
export function withRules(schema: Schema, dto: abstract new () => object): Schema {
  const properties = { ...schema.properties };
  for (const rule of rulesOf(dto)) {
    const member = properties[rule.propertyName];
    if (!member) throw new Error(`the schema of ${dto.name} has no ${rule.propertyName}: run "npm run gen"`);
    properties[rule.propertyName] = withRule(member, rule);
  }
  return { ...schema, properties, ...(rejectsUnknownMembers(dto) && { additionalProperties: false }) };
}

/** The rules that apply to every value of the member. */
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
  const [own] = constraints;
  if (own instanceof RuleSchema) return merged(schema, own.schema);
  if (TYPES.includes(name)) return schema;
  if (name === 'isInt') return integer(schema);
  if (name === 'matches' && constraints[0] instanceof RegExp && constraints[0].flags === '') {
    return { ...schema, pattern: constraints[0].source };
  }
  const known = RULES[name]?.(...constraints);
  if (known?.enum && isNullable(schema)) return { ...schema, enum: [...known.enum, null] };
  if (known) return { ...schema, ...known };
  return described(schema, sentenceOf(rule));
}

/** The message of a rule. Rules whose message depends on the value must be a `Rule` with a schema. */
function sentenceOf({ name, message, propertyName }: Rule): string {
  if (typeof message === 'string') return `${message}.`;
  throw new Error(`openapi/rule-schemas.ts cannot say what the rule ${name} of ${propertyName} means`);
}

/** Combines the schema of a type and of a rule. Rules for texts apply to the elements of lists and maps. */
function merged(schema: Schema, rule: Schema): Schema {
  const { pattern, ...rest } = withoutNull(rule, schema);
  if (pattern !== undefined && schema.items) return { ...schema, items: merged(schema.items, rule) };
  if (pattern !== undefined && schema.additionalProperties) {
    return { ...schema, additionalProperties: merged(schema.additionalProperties, rule) };
  }
  const { type = [], enum: values } = { ...schema, ...rest };
  return {
    ...schema,
    ...rest,
    ...patternsOf(schema, pattern),
    ...(values && [type].flat().includes('null') && { enum: [...new Set([...values, null])] }),
    ...(rest.items && schema.items && { items: merged(schema.items, rest.items) }),
    ...(rest.additionalProperties &&
      schema.additionalProperties && {
        additionalProperties: merged(schema.additionalProperties, rest.additionalProperties),
      }),
  };
}

/** Removes `null` from the types of a rule: the member decides whether null is allowed. */
function withoutNull({ type, ...rule }: Schema, schema: Schema): Schema {
  if (type === undefined) return rule;
  const types = [type].flat().filter((name) => name !== 'null' || schema.$ref || isNullable(schema));
  return { ...rule, type: types.length === 1 ? types[0]! : types };
}

const patternsOf = (schema: Schema, pattern: string | undefined): Schema => {
  if (pattern === undefined || schema.pattern === undefined) return pattern === undefined ? {} : { pattern };
  return { allOf: [...(schema.allOf ?? []), { pattern }] };
};

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
