import { ValidateBy, type ValidationArguments, type ValidationOptions } from 'class-validator';
import type { Schema } from './json-schema.js';

/** What a rule of ours means in JSON Schema: the constraint in which the API's document finds it. */
export class RuleSchema {
  constructor(readonly schema: Schema) {}
}

interface Check {
  validate: (value: unknown) => boolean;
  /** For a rule whose sentence depends on the value. */
  defaultMessage?: (args?: ValidationArguments) => string;
}

/** A rule of ours, with what the API's document says of it. The schema may allow more than the rule, never less. */
export const Rule = (name: string, schema: Schema, validator: Check, options?: ValidationOptions): PropertyDecorator =>
  ValidateBy({ name, constraints: [new RuleSchema(schema)], validator }, options);
