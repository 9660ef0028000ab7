import { createCipheriv, randomBytes } from 'node:crypto';
import { blake3 } from '@noble/hashes/blake3.js';

/** The name of the key of a session in the specification of Shadowsocks 2022. */
const SESSION_KEY = new TextEncoder().encode('shadowsocks 2022 session subkey');
const CLIENT_PACKET = 0;

export interface PacketContent {
  /** Length of the padding that the packet claims to have; it has none. */
  readonly claimedPadding?: number;
  /** The target in the form of SOCKS5: type, address, port. */
  readonly target: Uint8Array;
  readonly payload?: string;
}

/**
 * The first UDP packet of a session of Shadowsocks 2022, as a user sends it to an inbound with users and AES.
 * @param inboundKey in Base64, as in the configuration
 * @param userKey in Base64
 */
export function shadowsocks2022Packet(
  inboundKey: string,
  userKey: string,
  { claimedPadding = 0, target, payload = 'hello' }: PacketContent,
): Buffer {
  const [inbound, user] = [Buffer.from(inboundKey, 'base64'), Buffer.from(userKey, 'base64')];
  const session = randomBytes(8);
  const header = Buffer.concat([session, Buffer.from([0, 0, 0, 0, 0, 0, 0, 1])]);
  const identity = blake3(user).subarray(0, header.length);
  const maskedIdentity = identity.map((byte, index) => byte ^ header[index]!);
  const fixed = Buffer.alloc(11);
  fixed[0] = CLIENT_PACKET;
  fixed.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000)), 1);
  fixed.writeUInt16BE(claimedPadding, 9);
  const key = blake3(Buffer.concat([user, session]), { context: SESSION_KEY, dkLen: user.length });
  const body = createCipheriv(`aes-${user.length === 16 ? 128 : 256}-gcm`, key, header.subarray(4, 16));
  const sealed = [body.update(Buffer.concat([fixed, target, Buffer.from(payload)])), body.final()];
  return Buffer.concat([oneBlock(inbound, header), oneBlock(inbound, maskedIdentity), ...sealed, body.getAuthTag()]);
}

function oneBlock(key: Buffer, block: Uint8Array): Buffer {
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb` as 'aes-128-ecb', key, null).setAutoPadding(false);
  return Buffer.concat([cipher.update(block), cipher.final()]);
}
