import { type CredentialKeys, credentialKeys, type ProxySettings } from '@rampart/domain';

export type Protocol = keyof ProxySettings;

/** Columns of `user_credential_keys`, with the protocol of the credential. */
const KEYS = {
  vless: { key: 'vless', protocol: 'vless' },
  vmess: { key: 'vmess', protocol: 'vmess' },
  trojan: { key: 'trojan', protocol: 'trojan' },
  shadowsocks: { key: 'shadowsocks', protocol: 'shadowsocks' },
  shadowsocks_short: { key: 'shadowsocksShort', protocol: 'shadowsocks' },
  shadowsocks_long: { key: 'shadowsocksLong', protocol: 'shadowsocks' },
} as const satisfies Record<string, { key: keyof CredentialKeys; protocol: Protocol }>;

/** The keys that a user holds, by their columns. */
export type KeyColumns = Record<keyof typeof KEYS, string | null>;

export const KEY_COLUMNS = Object.keys(KEYS) as readonly (keyof KeyColumns)[];

/** SQL: the columns of keys, separated by commas. */
export const KEY_COLUMN_LIST = KEY_COLUMNS.join(', ');

export const mapColumns = (value: (column: keyof KeyColumns) => string | null): KeyColumns => ({
  vless: value('vless'),
  vmess: value('vmess'),
  trojan: value('trojan'),
  shadowsocks: value('shadowsocks'),
  shadowsocks_short: value('shadowsocks_short'),
  shadowsocks_long: value('shadowsocks_long'),
});

/** The keys of these credentials. */
export function keyColumns(settings: ProxySettings): KeyColumns {
  const keys = credentialKeys(settings);
  return mapColumns((column) => keys[KEYS[column].key]);
}

/** For each column of keys the values of these rows, for `unnest`. */
export const keyArrays = (rows: readonly KeyColumns[]): (string | null)[][] =>
  KEY_COLUMNS.map((column) => rows.map((row) => row[column]));

/** SQL: parameters from a number on, each an array of the keys of one column. */
export const keyArraysFrom = (first: number): string =>
  KEY_COLUMNS.map((_column, index) => `unnest($${first + index}::uuid[])`).join(', ');

/** SQL: takes these keys in place of those that the user has held. */
export const ON_KNOWN_USER = `ON CONFLICT (user_id) DO UPDATE SET
  ${KEY_COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')}`;

export const protocolOf = (column: keyof KeyColumns): Protocol => KEYS[column].protocol;

/** The protocols of which one column fulfils a condition. */
export const protocolsWhere = (holds: (column: keyof KeyColumns) => boolean): Protocol[] => [
  ...new Set(KEY_COLUMNS.filter(holds).map(protocolOf)),
];
