import { CipherType } from '../gen/shadowsocks.js';

export interface Cipher {
  /** The name in a configuration. */
  readonly name: string;
  readonly type: CipherType;
}

/** The engine's ciphers with their other names. Those without a key are left out, since they make an open proxy. */
const CIPHERS: readonly (Cipher & { readonly aliases: readonly string[] })[] = [
  { name: 'aes-128-gcm', type: CipherType.AES_128_GCM, aliases: ['aead_aes_128_gcm'] },
  { name: 'aes-256-gcm', type: CipherType.AES_256_GCM, aliases: ['aead_aes_256_gcm'] },
  {
    name: 'chacha20-ietf-poly1305',
    type: CipherType.CHACHA20_POLY1305,
    aliases: ['chacha20-poly1305', 'aead_chacha20_poly1305'],
  },
  {
    name: 'xchacha20-ietf-poly1305',
    type: CipherType.XCHACHA20_POLY1305,
    aliases: ['xchacha20-poly1305', 'aead_xchacha20_poly1305'],
  },
];

const BY_NAME = new Map(CIPHERS.flatMap((cipher) => [cipher.name, ...cipher.aliases].map((name) => [name, cipher])));

/** The cipher of a method name, which the engine reads without regard to case. */
export function cipherOf(method: string): Cipher | undefined {
  return BY_NAME.get(method.toLowerCase());
}

export function cipherOfType(type: CipherType): Cipher | undefined {
  return CIPHERS.find((cipher) => cipher.type === type);
}
