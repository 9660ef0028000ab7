import { IsInt, Max, Min, ValidateBy } from 'class-validator';

/** Reads a whole number; what is none becomes NaN, which the rules refuse. */
export const number = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** A whole number, both limits included. */
export function IsBetween(least: number, most: number): PropertyDecorator {
  const message = { message: `must be an integer from ${least} to ${most}` };
  const rules = [IsInt(message), Min(least, message), Max(most, message)];
  return (target, property) => {
    for (const rule of rules) rule(target, property);
  };
}

/** Both of a pair, or none: `other` is the property, `otherName` its variable. */
export const Needs = (other: string, otherName: string): PropertyDecorator =>
  ValidateBy({
    name: 'needs',
    validator: {
      validate: (value, args) => (value === undefined) === (Reflect.get(args?.object ?? {}, other) === undefined),
      defaultMessage: (args) =>
        args?.value === undefined ? `is required because ${otherName} is set` : `needs ${otherName} beside it`,
    },
  });
