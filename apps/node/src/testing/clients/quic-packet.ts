import { createCipheriv, createHmac } from 'node:crypto';

/** The salt of QUIC version 1 (RFC 9001, section 5.2). */
const SALT = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');
const CONNECTION_ID = Buffer.from('0102030405060708', 'hex');

/** A first packet of QUIC whose one CRYPTO frame has its data at this offset; sniffing of the engine adds in 32 bits. */
export function quicPacket(offset: bigint): Buffer {
  const crypto = Buffer.alloc(10);
  crypto[0] = 6;
  crypto.writeBigUInt64BE(offset | 0xc000_0000_0000_0000n, 1);
  crypto[9] = 1;
  const frames = Buffer.concat([crypto, Buffer.alloc(90)]);
  const secret = expand(createHmac('sha256', SALT).update(CONNECTION_ID).digest(), 'client in', 32);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(0x4000 | (1 + frames.length + 16));
  const header = Buffer.concat([
    ...[Buffer.from([0xc0, 0, 0, 0, 1, CONNECTION_ID.length]), CONNECTION_ID],
    ...[Buffer.from([0, 0]), length, Buffer.from([0])],
  ]);
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'quic key', 16), expand(secret, 'quic iv', 12));
  cipher.setAAD(header);
  const payload = Buffer.concat([cipher.update(frames), cipher.final(), cipher.getAuthTag()]);
  const mask = createCipheriv('aes-128-ecb', expand(secret, 'quic hp', 16), null).update(payload.subarray(3, 19));
  header[0]! ^= mask[0]! & 0x0f;
  header[header.length - 1]! ^= mask[1]!;
  return Buffer.concat([header, payload]);
}

/** HKDF-Expand-Label of TLS 1.3, for at most 32 bytes. */
function expand(secret: Buffer, name: string, length: number): Buffer {
  const label = Buffer.from(`tls13 ${name}`);
  const info = Buffer.concat([Buffer.from([0, length, label.length]), label, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}
