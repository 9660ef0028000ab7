import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, isIPv4, isIPv6, type Socket } from 'node:net';

const CONNECT = 1;
const ASSOCIATE = 3;

/** Sends an HTTP request to a target through a SOCKS proxy on the loopback address; the answer, empty where none comes. */
export function askThroughSocks(
  proxyPort: number,
  target: Target,
  hostHeader = target.host,
  withinMs = 3000,
): Promise<string> {
  const request = `GET / HTTP/1.1\r\nHost: ${hostHeader}\r\nConnection: close\r\n\r\n`;
  return sendThroughSocks(proxyPort, target, request, withinMs, isWholeAnswer);
}

/** Engines close a connection some time after its answer has come. */
function isWholeAnswer(text: string): boolean {
  const [, length, body = ''] = /^content-length: (\d+)$.*?\r\n\r\n(.*)/ims.exec(text) ?? [];
  return length !== undefined && body.length >= Number(length);
}

/**
 * Sends bytes to a target through a SOCKS proxy on the loopback address; the answer, empty where none comes. Waits until the
 * answer is complete, or the connection closes.
 */
export async function sendThroughSocks(
  proxyPort: number,
  target: Target,
  bytes: string | Buffer,
  withinMs: number,
  isComplete: (answer: string) => boolean = () => false,
): Promise<string> {
  const socket = await open(proxyPort);
  let answer = '';
  socket.setTimeout(withinMs, () => socket.destroy());
  const isOpen = await command(socket, CONNECT, target.host, target.port).catch(() => undefined);
  if (isOpen === undefined) {
    socket.destroy();
    return '';
  }
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
    if (isComplete(answer)) socket.destroy();
  });
  socket.write(bytes);
  if (!socket.closed) await once(socket, 'close');
  return answer;
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** One UDP session through a SOCKS proxy on the loopback address. */
export class SocksPackets {
  readonly heard: string[] = [];

  private constructor(
    private readonly control: Socket,
    private readonly socket: DatagramSocket,
    private readonly relayPort: number,
  ) {
    socket.on('message', (packet) => this.heard.push(packet.subarray(headerLength(packet)).toString()));
  }

  static async open(proxyPort: number): Promise<SocksPackets> {
    const control = await open(proxyPort);
    const reply = await command(control, ASSOCIATE, '0.0.0.0', 0);
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new SocksPackets(control, socket, reply.readUInt16BE(8));
  }

  send(host: string, port: number, packet: string | Buffer): void {
    const bytes = typeof packet === 'string' ? Buffer.from(packet) : packet;
    this.socket.send(Buffer.concat([Buffer.alloc(3), encodeTarget(host, port), bytes]), this.relayPort, '127.0.0.1');
  }

  close(): void {
    this.control.destroy();
    this.socket.close();
  }
}

async function open(proxyPort: number): Promise<Socket> {
  const socket = connect(proxyPort, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  socket.write(Buffer.from([5, 1, 0]));
  await once(socket, 'data');
  return socket;
}

async function command(socket: Socket, kind: number, host: string, port: number): Promise<Buffer> {
  socket.write(Buffer.concat([Buffer.from([5, kind, 0]), encodeTarget(host, port)]));
  const ended = new AbortController();
  socket.once('close', () => ended.abort());
  const [reply] = (await once(socket, 'data', { signal: ended.signal })) as [Buffer];
  if (reply[1] !== 0) throw new Error(`the proxy answered ${reply[1]}`);
  return reply;
}

/** What looks like an address is sent as one. */
function encodeTarget(host: string, port: number): Buffer {
  const end = Buffer.from([port >> 8, port & 0xff]);
  if (isIPv4(host)) return Buffer.concat([Buffer.from([1, ...host.split('.').map(Number)]), end]);
  if (isIPv6(host) && !host.includes('%')) return Buffer.concat([Buffer.from([4]), ipv6Bytes(host), end]);
  return Buffer.concat([Buffer.from([3, host.length]), Buffer.from(host, 'latin1'), end]);
}

export function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const [first, last] = [groups(head), groups(tail ?? '')];
  const all = [...first, ...Array<string>(8 - first.length - last.length).fill('0'), ...last];
  return Buffer.from(all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}

function headerLength(packet: Buffer): number {
  const kind = packet[3];
  return kind === 1 ? 10 : kind === 4 ? 22 : 7 + packet[4]!;
}
