// The five inbounds and the users, which node and engine get alike.
import { createHash } from 'node:crypto';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

const METHOD_2022 = '2022-blake3-aes-128-gcm';
const bytesOf = (text) => createHash('sha256').update(text).digest();
const key = (text) => bytesOf(text).subarray(0, 16).toString('base64');

/** Derives a UUID of version 4 from a text. */
function uuid(text) {
  const hex = bytesOf(text).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Names of the protocols; each one is also the tag of its inbound. */
export const ALL_PROTOCOLS = ['vless', 'vmess', 'trojan', 'shadowsocks', 'shadowsocks-2022'];
export const WITHOUT_2022 = ALL_PROTOCOLS.slice(0, -1);

/** Makes a user. The credentials depend on the index and the generation. */
export function makeUser(index, generation = 0) {
  const seed = `${index}.${generation}`;
  return { email: `${index}.user${index}`, id: uuid(seed), vmessId: uuid(`vmess ${seed}`), password: key(seed) };
}

export const makeUsers = (count) => Array.from({ length: count }, (_, index) => makeUser(index));

/** The user in the node's API. */
export const nodeUser = ({ email, id, vmessId, password }, protocols) => ({
  email,
  proxies: {
    ...{ vless: { id, flow: '' }, vmess: { id: vmessId }, trojan: { password } },
    shadowsocks: { password, method: 'aes-128-gcm' },
  },
  inbounds: [...protocols],
  revision: 0n,
});

/** The user in the engine's configuration, by protocol. */
const CLIENTS = {
  vless: ({ email, id }) => ({ email, id }),
  vmess: ({ email, vmessId }) => ({ email, id: vmessId }),
  trojan: ({ email, password }) => ({ email, password }),
  shadowsocks: ({ email, password }) => ({ email, password, method: 'aes-128-gcm' }),
  'shadowsocks-2022': ({ email, password }) => ({ email, password }),
};

export function configOf(protocols, ports, users) {
  const settings = (protocol) => ({
    ...(protocol === 'vless' ? { decryption: 'none' } : {}),
    ...(protocol === 'shadowsocks-2022' ? { method: METHOD_2022, password: key('server') } : {}),
    ...(users ? { clients: users.map(CLIENTS[protocol]) } : {}),
  });
  return {
    log: { loglevel: 'none' },
    inbounds: protocols.map((protocol, index) => ({
      ...{ tag: protocol, listen: '127.0.0.1', port: ports[index] },
      protocol: protocol === 'shadowsocks-2022' ? 'shadowsocks' : protocol,
      settings: settings(protocol),
    })),
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
  };
}

/** Encodes a protobuf message: field number → text, number or nested message. */
export function message(fields) {
  const writer = new BinaryWriter();
  for (const [number, value] of Object.entries(fields)) {
    if (typeof value === 'number') writer.tag(Number(number), WireType.Varint).uint32(value);
    else if (typeof value === 'string') writer.tag(Number(number), WireType.LengthDelimited).string(value);
    else writer.tag(Number(number), WireType.LengthDelimited).bytes(value);
  }
  return writer.finish();
}

const typed = (type, value) => message({ 1: type, 2: value });

const ACCOUNTS = {
  vless: ({ id }) => typed('xray.proxy.vless.Account', message({ 1: id })),
  vmess: ({ vmessId }) => typed('xray.proxy.vmess.Account', message({ 1: vmessId })),
  trojan: ({ password }) => typed('xray.proxy.trojan.Account', message({ 1: password })),
  shadowsocks: ({ password }) => typed('xray.proxy.shadowsocks.Account', message({ 1: password, 2: 5 })),
  'shadowsocks-2022': ({ password }) => typed('xray.proxy.shadowsocks_2022.Account', message({ 1: password })),
};

/** An AlterInbound request for one user on one inbound. */
const alter = (tag, operation, value) => message({ 1: tag, 2: typed(`xray.app.proxyman.command.${operation}`, value) });
export const removal = (protocol, { email }) => alter(protocol, 'RemoveUserOperation', message({ 1: email }));
export const addition = (protocol, user) =>
  alter(protocol, 'AddUserOperation', message({ 1: message({ 2: user.email, 3: ACCOUNTS[protocol](user) }) }));
