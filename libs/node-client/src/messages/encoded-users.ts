import { Backend, type Proxy as Credentials, type DeepPartial, type User, Users } from '../gen/service.js';
import { completeUser } from './complete-user.js';
import { lengthDelimitedField, stringField, utf8Text, varintField } from './protobuf-text.js';

/** Length of the texts that are converted to bytes at once. */
const PIECE_LENGTH = 65_536;

/** The number of the field `users` in the message of a Start, and in those that change users. */
export const START_FIELD = 3;
export const CHANGE_FIELD = 1;

/** Users as they stand in a message: encoded once, they can be sent to many nodes. */
export class EncodedUsers implements Iterable<User> {
  private readonly pieces: Buffer[] = [];
  private text = '';
  private readonly names: string[] = [];

  private constructor(readonly field: typeof START_FIELD | typeof CHANGE_FIELD) {}

  /** No users yet, for `start`. */
  static forStart(): EncodedUsers {
    return new EncodedUsers(START_FIELD);
  }

  /** No users yet, for `syncUsersChunked`. */
  static forChanges(): EncodedUsers {
    return new EncodedUsers(CHANGE_FIELD);
  }

  /** The e-mails of the users; empty for those of a Start, whose refusals need none. */
  get emails(): readonly string[] {
    return this.names;
  }

  /** Adds a user behind the others. @throws NodeClientError `INVALID_ARGUMENT` for a value of the wrong type */
  add(given: DeepPartial<User>): void {
    this.addComplete(completeUser(given));
  }

  /** The same for a user without missing fields. */
  addComplete(user: User): void {
    if (this.field === CHANGE_FIELD) this.names.push(user.email);
    this.text += lengthDelimitedField(this.field, userText(user));
    if (this.text.length >= PIECE_LENGTH) this.flush();
  }

  /** The fields of all users, in pieces. */
  get bytes(): readonly Uint8Array[] {
    this.flush();
    return this.pieces;
  }

  /** Decodes the users again. */
  [Symbol.iterator](): Iterator<User> {
    const message = this.field === START_FIELD ? Backend : Users;
    return message.decode(Buffer.concat(this.bytes)).users[Symbol.iterator]();
  }

  private flush(): void {
    if (this.text === '') return;
    this.pieces.push(Buffer.from(this.text, 'latin1'));
    this.text = '';
  }
}

function userText({ email, proxies, inbounds, revision }: User): string {
  let text = stringField(1, email) + (proxies ? lengthDelimitedField(2, credentialsText(proxies)) : '');
  for (const tag of inbounds) text += lengthDelimitedField(3, utf8Text(tag));
  return text + varintField(100, revision);
}

function credentialsText({ vmess, vless, trojan, shadowsocks, wireguard, hysteria }: Credentials): string {
  return (
    (vmess ? lengthDelimitedField(1, stringField(1, vmess.id)) : '') +
    (vless ? lengthDelimitedField(2, stringField(1, vless.id) + stringField(2, vless.flow)) : '') +
    (trojan ? lengthDelimitedField(3, stringField(1, trojan.password)) : '') +
    (shadowsocks
      ? lengthDelimitedField(4, stringField(1, shadowsocks.password) + stringField(2, shadowsocks.method))
      : '') +
    (wireguard ? lengthDelimitedField(5, stringField(1, wireguard.publicKey) + peerIps(wireguard.peerIps)) : '') +
    (hysteria ? lengthDelimitedField(6, stringField(1, hysteria.auth)) : '')
  );
}

function peerIps(addresses: readonly string[]): string {
  return addresses.map((address) => lengthDelimitedField(2, utf8Text(address))).join('');
}
