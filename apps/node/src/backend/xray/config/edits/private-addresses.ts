import { type JsonObject, textsAt } from '../json-tree.js';

/** The addresses that `geoip:private` stands for, so that this common rule needs no geo file. */
const PRIVATE_CIDRS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/127',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
];

/** Returns the object with `geoip:private` replaced by its addresses under each of the keys. */
export function writeOutPrivate(object: JsonObject, keys: readonly string[]): JsonObject {
  const edited = { ...object };
  for (const key of keys.filter((name) => name in object)) {
    const addresses = textsAt(object, key);
    if (addresses.some(isPrivateList)) {
      edited[key] = addresses.flatMap((address) => (isPrivateList(address) ? PRIVATE_CIDRS : [address]));
    }
  }
  return edited;
}

function isPrivateList(address: string): boolean {
  return address.toLowerCase() === 'geoip:private';
}
