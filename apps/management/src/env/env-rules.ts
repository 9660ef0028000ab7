import { IsInstance, ValidateBy } from 'class-validator';
import ipaddr from 'ipaddr.js';
import pg from 'pg';
import { parseKey } from '../keys/keys.js';

/** The message of settings that must name a file or folder. */
export const MUST_BE_PATH = { message: 'must be a path' };

/** Parses a key. Any other text is returned unchanged, and the rule for keys then refuses it. */
export const parseKeySetting = (text: string): Buffer | string => parseKey(text) ?? text;
export const IsKey = (): PropertyDecorator => IsInstance(Buffer, { message: 'must be 32 bytes in base64' });

/** A list of addresses and networks such as `10.0.0.0/8`. */
export const AreNetworks = (): PropertyDecorator =>
  ValidateBy(
    { name: 'areNetworks', validator: { validate: (values) => Array.isArray(values) && values.every(isNetwork) } },
    { message: 'must be addresses and networks such as 127.0.0.1,10.0.0.0/8' },
  );

function isNetwork(text: string): boolean {
  const [address = '', ...length] = text.split('/');
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address);
  return isAddress && (length.length === 0 || ipaddr.isValidCIDR(text));
}

export const IsPostgresUrl = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isPostgresUrl', validator: { validate: isPostgresUrl } },
    { message: 'must be like postgresql://user:password@host:5432/database' },
  );

function isPostgresUrl(text: string): boolean {
  try {
    new pg.Client(text);
    return /^postgres(ql)?:\/\/\S+$/.test(text);
  } catch {
    return false;
  }
}
