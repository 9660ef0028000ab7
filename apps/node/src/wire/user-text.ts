import { WireType } from '@bufbuild/protobuf/wire';
import type { Proxy as Credentials, User } from '@rampart/node-client';
import { TextFields } from './text-fields.js';
import { tagOf } from './wire-fields.js';

/**
 * A User message as text, one character for each byte: the smallest form that the heap keeps and moves, and equal when the
 * bytes are. It stands alone, whatever large message it came in.
 */
export type UserText = string;

export function textOfUser({ bytes }: { readonly bytes: Uint8Array }): UserText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function bytesOfUser(text: UserText): Uint8Array {
  return Buffer.from(text, 'latin1');
}

const EMAIL = tagOf(1, WireType.LengthDelimited);
const PROXIES = tagOf(2, WireType.LengthDelimited);
const INBOUND = tagOf(3, WireType.LengthDelimited);

/** What `decodeUser` answers, but the revision; credentials are read when somebody asks for them. */
export function readUser(text: UserText): Omit<User, 'revision'> {
  const fields = new TextFields(text);
  const inbounds: string[] = [];
  let email = '';
  let proxies: Credentials | undefined;
  while (fields.next()) {
    if (fields.tag === EMAIL) email = fields.string();
    else if (fields.tag === PROXIES) proxies = new CredentialsInText(text, fields.from, fields.to);
    else if (fields.tag === INBOUND) inbounds.push(fields.string());
  }
  return { email, proxies, inbounds };
}

/** Every field of a credential is a text and has the number 1 or 2. */
class CredentialsInText implements Credentials {
  /** Where the message of each protocol begins and ends, at twice its number; 0 = there is none. */
  private readonly places = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

  constructor(
    private readonly text: UserText,
    from: number,
    to: number,
  ) {
    const fields = new TextFields(text, from, to);
    while (fields.next()) {
      const number = fields.tag >>> 3;
      if (number > 6 || fields.tag !== tagOf(number, WireType.LengthDelimited)) continue;
      this.places[2 * number] = fields.from;
      this.places[2 * number + 1] = fields.to;
    }
  }

  get vmess(): Credentials['vmess'] {
    return this.has(1) ? { id: this.last(1, 1) } : undefined;
  }

  get vless(): Credentials['vless'] {
    return this.has(2) ? { id: this.last(2, 1), flow: this.last(2, 2) } : undefined;
  }

  get trojan(): Credentials['trojan'] {
    return this.has(3) ? { password: this.last(3, 1) } : undefined;
  }

  get shadowsocks(): Credentials['shadowsocks'] {
    return this.has(4) ? { password: this.last(4, 1), method: this.last(4, 2) } : undefined;
  }

  get wireguard(): Credentials['wireguard'] {
    return this.has(5) ? { publicKey: this.last(5, 1), peerIps: this.every(5, 2) } : undefined;
  }

  get hysteria(): Credentials['hysteria'] {
    return this.has(6) ? { auth: this.last(6, 1) } : undefined;
  }

  private has(protocol: number): boolean {
    return this.places[2 * protocol] !== 0;
  }

  private last(protocol: number, number: number): string {
    const fields = this.fieldsOf(protocol);
    let text = '';
    while (fields.next()) if (fields.tag === tagOf(number, WireType.LengthDelimited)) text = fields.string();
    return text;
  }

  private every(protocol: number, number: number): string[] {
    const fields = this.fieldsOf(protocol);
    const texts: string[] = [];
    while (fields.next()) if (fields.tag === tagOf(number, WireType.LengthDelimited)) texts.push(fields.string());
    return texts;
  }

  private fieldsOf(protocol: number): TextFields {
    return new TextFields(this.text, this.places[2 * protocol], this.places[2 * protocol + 1]);
  }
}
