import { IsInt, Max, Min, ValidateBy } from 'class-validator';
import ipaddr from 'ipaddr.js';

/** Parses a whole number in decimal digits; any other text becomes NaN, which the rules of the setting refuse. */
export const parseInteger = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** Parses `true` or `false`; any other text stays text, which `IsBoolean` refuses. */
export const parseBoolean = (text: string): boolean | string =>
  text === 'true' || text === 'false' ? text === 'true' : text;

/** Parses a list with commas between its items, without the spaces around them. Empty items stay. */
export const parseList = (text: string): string[] => text.split(',').map((item) => item.trim());

/** Property decorator: the value must be an integer from `least` to `most`, both included. */
export function IsBetween(least: number, most: number): PropertyDecorator {
  const message = { message: `must be an integer from ${least} to ${most}` };
  const rules = [IsInt(message), Min(least, message), Max(most, message)];
  return (target, property) => {
    for (const rule of rules) rule(target, property);
  };
}

/**
 * Property decorator: the setting and another one must be set together, or neither.
 *
 * @param other the property of the other setting.
 * @param otherName the environment variable of the other setting, for the error.
 */
export const NeedsSetting = (other: string, otherName: string): PropertyDecorator =>
  ValidateBy({
    name: 'needs',
    validator: {
      validate: (value, args) => (value === undefined) === (Reflect.get(args?.object ?? {}, other) === undefined),
      defaultMessage: (args) =>
        args?.value === undefined ? `is required because ${otherName} is set` : `needs ${otherName} beside it`,
    },
  });

/** Property decorator: the value must be a list of addresses and networks such as `10.0.0.0/8`. */
export const AreNetworks = (): PropertyDecorator =>
  ValidateBy(
    { name: 'areNetworks', validator: { validate: (values) => Array.isArray(values) && values.every(isNetwork) } },
    { message: 'must be addresses and networks such as 127.0.0.1,10.0.0.0/8' },
  );

/** Whether a text is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', ...length] = text.split('/');
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isAddress && (length.length === 0 || ipaddr.isValidCIDR(text));
}
