import { x25519 } from '@noble/curves/ed25519.js';
import { applyEdits, findNodeAtLocation, getLocation, modify, parse, parseTree } from 'jsonc-parser';

export interface RealityKeys {
  /** X25519, in base64 of URLs without padding, as the engine has it. */
  privateKey: string;
  publicKey: string;
  /** Eight bytes in hexadecimal digits. */
  shortId: string;
}

const PRIVATE_BYTES = 32;
const SHORT_BYTES = 8;

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Of 32 bytes, without padding. */
const PRIVATE_KEY = /^[\w-]{43}$/;

/** The public key that belongs to a private key; undefined: it is no private key. */
function publicKeyOf(privateKey: unknown): string | undefined {
  if (typeof privateKey !== 'string' || !PRIVATE_KEY.test(privateKey)) return undefined;
  const text = atob(privateKey.replaceAll('-', '+').replaceAll('_', '/'));
  return base64Url(x25519.getPublicKey(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
}

interface Inbound {
  tag?: unknown;
  streamSettings?: { realitySettings?: { privateKey?: unknown } };
}

/** The public keys of the inbounds with REALITY, in their order. They stand in no configuration, and clients need them. */
export function publicKeysIn(text: string): { tag: string; publicKey: string }[] {
  const inbounds: unknown = parse(text)?.inbounds;
  return (Array.isArray(inbounds) ? inbounds : []).flatMap((inbound: Inbound | null) => {
    const publicKey = publicKeyOf(inbound?.streamSettings?.realitySettings?.privateKey);
    return publicKey === undefined ? [] : [{ tag: String(inbound?.tag ?? ''), publicKey }];
  });
}

/** Makes the keys of REALITY of random bytes: 32 for the private key, 8 for the short id. */
export function realityKeys(random: Uint8Array): RealityKeys {
  const secret = random.slice(0, PRIVATE_BYTES);
  const short = random.slice(PRIVATE_BYTES, PRIVATE_BYTES + SHORT_BYTES);
  return {
    privateKey: base64Url(secret),
    publicKey: base64Url(x25519.getPublicKey(secret)),
    shortId: [...short].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
  };
}

/** New keys, made in this browser; they are sent nowhere before the core is saved. */
export const newRealityKeys = (): RealityKeys =>
  realityKeys(crypto.getRandomValues(new Uint8Array(PRIVATE_BYTES + SHORT_BYTES)));

/** The index of the inbound at an offset if it has REALITY settings, else of the first one that has; undefined: none has. */
export function realityInbound(text: string, offset: number): number | undefined {
  const tree = parseTree(text);
  const count = (tree && findNodeAtLocation(tree, ['inbounds'])?.children?.length) ?? 0;
  const has = (index: number) =>
    tree && findNodeAtLocation(tree, ['inbounds', index, 'streamSettings', 'realitySettings']);
  const [list, at] = getLocation(text, offset).path;
  if (list === 'inbounds' && typeof at === 'number' && has(at)) return at;
  const first = Array.from({ length: count }, (_, index) => index).find(has);
  return first;
}

/** Whether the REALITY settings of an inbound have a private key already. */
export function hasRealityKey(text: string, index: number): boolean {
  const tree = parseTree(text);
  const path = ['inbounds', index, 'streamSettings', 'realitySettings', 'privateKey'];
  return Boolean(tree && findNodeAtLocation(tree, path)?.value);
}

/** The text with new keys in the REALITY settings of an inbound; everything else stays as it is, comments too. */
export function withRealityKeys(text: string, index: number, { privateKey, shortId }: RealityKeys): string {
  const settings = ['inbounds', index, 'streamSettings', 'realitySettings'];
  const options = { formattingOptions: { insertSpaces: true, tabSize: 2 } };
  const keyed = applyEdits(text, modify(text, [...settings, 'privateKey'], privateKey, options));
  return applyEdits(keyed, modify(keyed, [...settings, 'shortIds'], [shortId], options));
}

/** The tag of an inbound; empty where it has none. */
export function tagOf(text: string, index: number): string {
  const tree = parseTree(text);
  return String((tree && findNodeAtLocation(tree, ['inbounds', index, 'tag'])?.value) ?? '');
}
