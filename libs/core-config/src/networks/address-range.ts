import ipaddr from 'ipaddr.js';

/** A network of addresses: those that share the first `bits` of `base`. */
export interface AddressRange {
  readonly version: 4 | 6;
  /** The first address as a number. */
  readonly base: bigint;
  readonly bits: number;
}

const widthOf = (version: 4 | 6): number => (version === 4 ? 32 : 128);
/** The bits of `::ffff:0:0/96`, under which IPv6 has the addresses of IPv4. */
const MAPPED_BITS = 96;

/**
 * Reads an address or a network in CIDR notation. Bits behind the length of the network do not count, and a network of
 * IPv4-mapped addresses is one of IPv4.
 *
 * @returns undefined for any other text
 */
export function readRange(text: string): AddressRange | undefined {
  const [address = '', length, ...more] = text.split('/');
  const isAddress =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (ipaddr.IPv6.isValid(address) && !/[%[]/.test(address));
  if (!isAddress || more.length > 0) return undefined;
  const parsed = ipaddr.parse(address);
  const width = widthOf(parsed.kind() === 'ipv4' ? 4 : 6);
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const bits = length === undefined ? width : Number(length);
  if (bits > width) return undefined;
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() && bits >= MAPPED_BITS) {
    return rangeOf(4, numberOf(parsed.toIPv4Address().toByteArray()), bits - MAPPED_BITS);
  }
  return rangeOf(parsed.kind() === 'ipv4' ? 4 : 6, numberOf(parsed.toByteArray()), bits);
}

/** The range that contains an address and has this length. */
export function rangeOf(version: 4 | 6, address: bigint, bits: number): AddressRange {
  const rest = BigInt(widthOf(version) - bits);
  return { version, base: (address >> rest) << rest, bits };
}

/** The range in CIDR notation, such as `10.0.0.0/8` and `fc00::/7`. */
export function rangeText({ version, base, bits }: AddressRange): string {
  const bytes = Array.from({ length: widthOf(version) / 8 }, (_, index) => Number((base >> BigInt(8 * index)) & 255n));
  return `${ipaddr.fromByteArray(bytes.reverse()).toString()}/${bits}`;
}

/** Whether the first range has all addresses of the second one. */
export function contains(outer: AddressRange, inner: AddressRange): boolean {
  return (
    outer.version === inner.version &&
    outer.bits <= inner.bits &&
    rangeOf(inner.version, inner.base, outer.bits).base === outer.base
  );
}

/** The ranges that have exactly the addresses of `range` that are in none of the others. */
export function without(range: AddressRange, others: readonly AddressRange[]): AddressRange[] {
  if (others.some((other) => contains(other, range))) return [];
  const inside = others.filter((other) => contains(range, other));
  if (inside.length === 0) return [range];
  const bits = range.bits + 1;
  const upper = range.base + (1n << BigInt(widthOf(range.version) - bits));
  return [range.base, upper].flatMap((base) => without({ version: range.version, base, bits }, inside));
}

function numberOf(bytes: readonly number[]): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}
