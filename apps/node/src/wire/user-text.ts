import { WireType } from '@bufbuild/protobuf/wire';
import type { Proxy as Credentials, User } from '@rampart/node-client';
import { TextFields } from './text-fields.js';
import { fieldTag } from './wire-fields.js';

/**
 * A User message as text with one character for each byte: the smallest form in memory, and cheap to compare. It does
 * not refer to the buffer of the message in which it came.
 */
export type UserText = string;

export function userToText({ bytes }: { readonly bytes: Uint8Array }): UserText {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}

export function userFromText(text: UserText): Uint8Array {
  return Buffer.from(text, 'latin1');
}

const EMAIL_TAG = fieldTag(1, WireType.LengthDelimited);
const PROXIES_TAG = fieldTag(2, WireType.LengthDelimited);
const INBOUND_TAG = fieldTag(3, WireType.LengthDelimited);

/** Decodes a user without the revision; credentials are decoded on access. */
export function parseUserText(text: UserText): Omit<User, 'revision'> {
  const fields = new TextFields(text);
  const inbounds: string[] = [];
  let email = '';
  let proxies: Credentials | undefined;
  while (fields.nextField()) {
    if (fields.tag === EMAIL_TAG) email = fields.readString();
    else if (fields.tag === PROXIES_TAG) proxies = new CredentialsInText(text, fields.from, fields.to);
    else if (fields.tag === INBOUND_TAG) inbounds.push(fields.readString());
  }
  return { email, proxies, inbounds };
}

/** Credentials that are decoded on access. Every field of a credential is a text with number 1 or 2. */
class CredentialsInText implements Credentials {
  /** Range of each protocol's message at index 2 × field number; 0 means that there is none. */
  private readonly bounds = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

  constructor(
    private readonly text: UserText,
    from: number,
    to: number,
  ) {
    const fields = new TextFields(text, from, to);
    while (fields.nextField()) {
      const number = fields.tag >>> 3;
      if (number > 6 || fields.tag !== fieldTag(number, WireType.LengthDelimited)) continue;
      this.bounds[2 * number] = fields.from;
      this.bounds[2 * number + 1] = fields.to;
    }
  }

  get vmess(): Credentials['vmess'] {
    return this.hasCredential(1) ? { id: this.lastText(1, 1) } : undefined;
  }

  get vless(): Credentials['vless'] {
    return this.hasCredential(2) ? { id: this.lastText(2, 1), flow: this.lastText(2, 2) } : undefined;
  }

  get trojan(): Credentials['trojan'] {
    return this.hasCredential(3) ? { password: this.lastText(3, 1) } : undefined;
  }

  get shadowsocks(): Credentials['shadowsocks'] {
    return this.hasCredential(4) ? { password: this.lastText(4, 1), method: this.lastText(4, 2) } : undefined;
  }

  get wireguard(): Credentials['wireguard'] {
    return this.hasCredential(5) ? { publicKey: this.lastText(5, 1), peerIps: this.allTexts(5, 2) } : undefined;
  }

  get hysteria(): Credentials['hysteria'] {
    return this.hasCredential(6) ? { auth: this.lastText(6, 1) } : undefined;
  }

  private hasCredential(protocol: number): boolean {
    return this.bounds[2 * protocol] !== 0;
  }

  private lastText(protocol: number, number: number): string {
    const fields = this.fieldsOf(protocol);
    let text = '';
    while (fields.nextField())
      if (fields.tag === fieldTag(number, WireType.LengthDelimited)) text = fields.readString();
    return text;
  }

  private allTexts(protocol: number, number: number): string[] {
    const fields = this.fieldsOf(protocol);
    const texts: string[] = [];
    while (fields.nextField())
      if (fields.tag === fieldTag(number, WireType.LengthDelimited)) texts.push(fields.readString());
    return texts;
  }

  private fieldsOf(protocol: number): TextFields {
    return new TextFields(this.text, this.bounds[2 * protocol], this.bounds[2 * protocol + 1]);
  }
}
