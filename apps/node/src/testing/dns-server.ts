import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { type AddressInfo, isIPv6 } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ipv6Bytes } from './clients/socks.js';

const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** The addresses of a name; a name that is another one's alias has that one's. A function is called for each question. */
export type DnsAnswer = readonly string[] | { readonly alias: string } | (() => readonly string[]);

/** A DNS server on the loopback address whose answers may not be kept. It knows no other names than these. */
export async function startDnsServer(names: ReadonlyMap<string, DnsAnswer>) {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, peer) => {
    if (!isQuestion(question)) return;
    const { name, type } = readQuestion(question);
    if (type === TYPES.A) asked.push(name);
    socket.send(answerTo(question, names), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, asked, close: () => socket.close() };
}

/** The same over HTTP/2 without TLS, which the engine calls `h2c`. Its answers may be long. */
export async function startDohServer(names: ReadonlyMap<string, DnsAnswer>) {
  const server = createServer(async (request, response) => {
    const question = await buffer(request);
    response.setHeader('content-type', 'application/dns-message');
    response.end(answerTo(question, names));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `h2c+local://127.0.0.1:${port}/dns-query`, close: () => server.close() };
}

/** A question for the IPv4 addresses of a name. */
export function dnsQuestion(name: string): Buffer {
  const header = Buffer.from([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
  return Buffer.concat([header, encodeName(name), Buffer.from([0, TYPES.A, 0, 1])]);
}

function answerTo(question: Buffer, names: ReadonlyMap<string, DnsAnswer>): Buffer {
  const { name, type, end } = readQuestion(question);
  const records = recordsOf(names, name, type);
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(records === undefined ? 0x81_83 : 0x81_80, 2);
  header.writeUInt16BE(records?.length ?? 0, 6);
  header.fill(0, 8, 12);
  return Buffer.concat([header, question.subarray(12, end), ...(records ?? [])]);
}

/** Whether a packet ends where its question does, or behind it. */
function isQuestion(message: Buffer): boolean {
  let at = 12;
  while (at < message.length && message[at]! > 0) at += message[at]! + 1;
  return at + 5 <= message.length;
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function recordsOf(names: ReadonlyMap<string, DnsAnswer>, name: string, type: number): Buffer[] | undefined {
  const answer = names.get(name);
  if (answer === undefined) return undefined;
  if ('alias' in answer) {
    return [record(name, TYPES.CNAME, encodeName(answer.alias)), ...(recordsOf(names, answer.alias, type) ?? [])];
  }
  const addresses = typeof answer === 'function' ? answer() : answer;
  return addresses
    .filter((address) => type === (isIPv6(address) ? TYPES.AAAA : TYPES.A))
    .map((address) =>
      record(name, type, isIPv6(address) ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number))),
    );
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}
