import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import type { Schema } from './json-schema.js';

/** The JSON Schema of a custom rule, as a constraint that the API's document finds. */
export class RuleSchema {
  constructor(readonly schema: Schema) {}
}

interface Check {
  validate: (value: unknown) => boolean;
  /** The message of a rule, where it depends on the value. */
  defaultMessage?: (args?: ValidationArguments) => string;
}

/** A custom rule with its JSON Schema for the API's document. The schema may accept more than the rule, but never less. */
export const Rule = (name: string, schema: Schema, validator: Check, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy({ name, constraints: [new RuleSchema(schema)], validator }, options);
