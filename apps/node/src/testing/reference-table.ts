import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { type NodeClient, NodeClientError, User } from '@rampart/node-client';
import { ALLOW_PRIVATE } from '@rampart/testing';
import { connectHttp2, KEY, send, sendHttp2 } from './clients/https.js';
import type { RunningNode } from './nodes/running-node.js';

export const TRANSPORTS = ['rest', 'grpc'] as const;
export type Transport = (typeof TRANSPORTS)[number];

/** A refusal: HTTP status, gRPC status, message (or a pattern of it). */
export type Refusal = readonly [http: number, grpc: number, text: string | RegExp];

/** One row of a table of node-reference.md. */
export interface ReferenceRow {
  readonly situation: string;
  /** What the reference implementation answers over REST and gRPC. */
  readonly theirs: string;
  readonly ours: 'ok' | Refusal;
  /** The decision (spec/decisions.md, Node) for our answer. */
  readonly why: string;
  readonly call: (client: NodeClient, transport: Transport) => Promise<unknown>;
}

/** Defines a test for each row and transport. */
export function itEachRow(client: (transport: Transport) => NodeClient, table: readonly ReferenceRow[]): void {
  for (const { situation, theirs, ours, why, call } of table) {
    it.each(TRANSPORTS)(`${situation}; theirs: ${theirs}; why ours: ${why} (%s)`, async (transport) => {
      const outcome = await call(client(transport), transport).then(
        () => 'ok',
        (error: unknown) => error,
      );
      if (ours === 'ok') {
        if (outcome !== 'ok') throw outcome;
        return;
      }
      if (!(outcome instanceof NodeClientError)) throw outcome;
      const [http, grpc, text] = ours;
      expect([outcome.httpStatus, outcome.grpcCode]).toEqual(
        transport === 'rest' ? [http, undefined] : [undefined, grpc],
      );
      if (typeof text === 'string') expect(outcome.message).toBe(text);
      else expect(outcome.message).toMatch(text);
    });
  }
}

export interface RawRequest {
  /** Method and path over REST. */
  readonly rest: readonly [method: string, path: string];
  /** Method over gRPC. */
  readonly grpc: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** Sends a request byte for byte. A refusal is thrown as a client of that transport reports it. */
export async function sendRaw(node: RunningNode, transport: Transport, { rest, grpc, body, ...request }: RawRequest) {
  const { headers = KEY } = request;
  if (transport === 'rest') {
    const answer = await send(node, ...rest, { headers, ...(body && { body }) });
    if (answer.status === 200) return;
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const { error } = JSON.parse(answer.body.toString());
    throw new NodeClientError('INTERNAL', error, { httpStatus: answer.status });
  }
  const session = connectHttp2(node);
  try {
    const path = `/service.NodeService/${grpc}`;
    const call = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', ...headers };
    const answer = await sendHttp2(session, call, body ?? grpcFrame());
    const grpcCode = Number(answer.headers['grpc-status']);
    if (grpcCode === 0) return;
    throw new NodeClientError('INTERNAL', decodeURI(String(answer.headers['grpc-message'])), { grpcCode });
  } finally {
    session.close();
  }
}

/** A message in a gRPC frame; the length may be wrong on purpose. */
export function grpcFrame(bytes = Buffer.alloc(0), length = bytes.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, bytes]);
}

/** A user of the inbound `vless`. */
export const vlessUser = (email: string, fields: { id?: string; flow?: string; inbounds?: string[] } = {}): User =>
  User.fromPartial({
    email,
    proxies: { vless: { id: fields.id ?? randomUUID(), flow: fields.flow ?? '' } },
    inbounds: fields.inbounds ?? ['vless'],
  });

/** A configuration with the inbound `vless`; `more` adds sections. */
export const vlessConfig = (port: number, more: object = {}): string =>
  JSON.stringify({
    inbounds: [{ tag: 'vless', listen: '127.0.0.1', port, protocol: 'vless', settings: { decryption: 'none' } }],
    outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }],
    ...more,
  });
