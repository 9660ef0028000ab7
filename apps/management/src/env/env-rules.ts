import { IsInstance, ValidateBy } from 'class-validator';
import pg from 'pg';
import { parseKey } from '../keys/keys.js';

/** Parses a key. Any other text is returned unchanged, and the rule for keys then refuses it. */
export const parseKeySetting = (text: string): Buffer | string => parseKey(text) ?? text;
export const IsKey = (): PropertyDecorator => IsInstance(Buffer, { message: 'must be 32 bytes in base64' });

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
