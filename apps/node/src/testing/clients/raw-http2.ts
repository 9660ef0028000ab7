import { once } from 'node:events';
import { constants } from 'node:http2';
import tls from 'node:tls';
import { eventually } from '@rampart/testing';
import type { RunningNode } from '../nodes/running-node.js';

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');
const DATA = 0;
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;
const GOAWAY = 7;
const END_STREAM = 1;
const END_HEADERS = 4;
const ACK = 1;
const FRAME_HEADER_BYTES = 9;
const STREAM = 1;

/**
 * One request over HTTP/2, frame by frame: the client of node:http2 ends its streams properly (END_STREAM) whenever it
 * closes them, so it cannot show how they break off.
 */
export class RawHttp2 {
  private received: Buffer = Buffer.alloc(0);
  private pingsAnswered = 0;

  private constructor(readonly socket: tls.TLSSocket) {
    socket.on('error', () => undefined).on('data', (chunk: Buffer) => this.readFrames(chunk));
  }

  static async connect(node: RunningNode): Promise<RawHttp2> {
    const options = { host: '127.0.0.1', port: node.port, ca: node.certificate.cert, ALPNProtocols: ['h2'] };
    const socket = tls.connect(options);
    await once(socket, 'secureConnect');
    socket.write(PREFACE);
    const client = new RawHttp2(socket);
    client.write(SETTINGS, 0, 0, Buffer.alloc(0));
    return client;
  }

  /** Headers and the first bytes of a body, without END_STREAM; the server has read them afterwards. */
  async beginRequest(headers: Readonly<Record<string, string>>, body: Uint8Array): Promise<void> {
    this.write(HEADERS, END_HEADERS, STREAM, Buffer.concat(Object.entries(headers).map(literalField)));
    if (body.length > 0) this.write(DATA, 0, STREAM, body);
    await this.awaitServer();
  }

  /** Until the server has read all that was written. */
  async awaitServer(): Promise<void> {
    const answered = this.pingsAnswered;
    this.write(PING, 0, 0, Buffer.alloc(8));
    await eventually('the server answers a PING', (saw) => saw(this.pingsAnswered) > answered);
  }

  resetStream(errorCode: number): void {
    this.write(RST_STREAM, 0, STREAM, uint32(errorCode));
  }

  goAway(): void {
    this.write(GOAWAY, 0, 0, Buffer.alloc(8));
  }

  private write(type: number, flags: number, stream: number, payload: Uint8Array): void {
    this.socket.write(frame(type, flags, stream, payload));
  }

  private readFrames(chunk: Buffer): void {
    this.received = Buffer.concat([this.received, chunk]);
    while (this.received.length >= FRAME_HEADER_BYTES) {
      const ends = FRAME_HEADER_BYTES + this.received.readUIntBE(0, 3);
      if (this.received.length < ends) return;
      if (this.received[3] === PING && this.received[4] === ACK) this.pingsAnswered += 1;
      this.received = this.received.subarray(ends);
    }
  }
}

/** What a connection begins with that opens many requests at once, and how each of them goes on. */
export type Flood = 'reset at once' | 'without an end' | 'complete';

/** The bytes of such a connection. @param headers those of each request */
export function floodOf(flood: Flood, count: number, headers: Readonly<Record<string, string>>): Buffer {
  const block = Buffer.concat(Object.entries(headers).map(literalField));
  const request = (stream: number): Buffer[] => [
    frame(HEADERS, flood === 'complete' ? END_HEADERS | END_STREAM : END_HEADERS, stream, block),
    ...(flood === 'reset at once' ? [frame(RST_STREAM, 0, stream, uint32(constants.NGHTTP2_CANCEL))] : []),
  ];
  const requests = Array.from({ length: count }, (_, index) => request(1 + 2 * index)).flat();
  return Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, Buffer.alloc(0)), ...requests]);
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  return Buffer.concat([uint32(payload.length).subarray(1), Buffer.from([type, flags]), uint32(stream), payload]);
}

/** HPACK: a literal field without indexing and without Huffman code. */
function literalField([name, value]: [string, string]): Buffer {
  return Buffer.concat([Buffer.from([0]), literalText(name), literalText(value)]);
}

function literalText(text: string): Buffer {
  if (text.length > 126) throw new Error(`longer than one byte of length can say: ${text}`);
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The ways in which a request can end without END_STREAM. */
export const BREAK_OFFS: readonly (readonly [name: string, breakOff: (client: RawHttp2) => Promise<void>])[] = [
  ['its socket is destroyed', async ({ socket }) => void socket.destroy()],
  ['its connection is ended', async ({ socket }) => void socket.end()],
  ['its stream is cancelled', (client) => resetThenLeave(client, constants.NGHTTP2_CANCEL)],
  ['its stream is reset without an error', (client) => resetThenLeave(client, constants.NGHTTP2_NO_ERROR)],
  [
    'its client goes away',
    async (client) => {
      client.goAway();
      client.socket.end();
    },
  ],
];

async function resetThenLeave(client: RawHttp2, errorCode: number): Promise<void> {
  client.resetStream(errorCode);
  await client.awaitServer();
  client.socket.destroy();
}
