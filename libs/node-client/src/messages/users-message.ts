import { Backend, type Proxy as Credentials, type User, Users } from '../gen/service.js';
import { lengthDelimitedField, stringField, utf8Text, varintField } from './protobuf-text.js';

/** Length of the texts that are converted to bytes at once. */
const PIECE_LENGTH = 65_536;

/** Encodes a Backend message. It holds all users of a node, for which generated code takes twice the time. */
export function encodeBackend({ users, ...backend }: Backend): Buffer {
  return joined(Backend.encode({ ...backend, users: [] }).finish(), 3, users);
}

/** Encodes a Users message, in the same way as `encodeBackend`. */
export function encodeUsers({ users, ...request }: Users): Buffer {
  return joined(Users.encode({ ...request, users: [] }).finish(), 1, users);
}

function joined(rest: Uint8Array, field: number, users: readonly User[]): Buffer {
  const pieces = [rest];
  let text = '';
  for (const user of users) {
    text += lengthDelimitedField(field, userText(user));
    if (text.length < PIECE_LENGTH) continue;
    pieces.push(Buffer.from(text, 'latin1'));
    text = '';
  }
  return Buffer.concat([...pieces, Buffer.from(text, 'latin1')]);
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
