// Many nodes in one process without engines: they count the users that they get, and report traffic. Run by doubles.mjs.
// Each command has an id, which its answer repeats.

import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { BaseInfoResponse, NodeServiceService as rpc, TrafficBatch } from '@rampart/node-client';

const EMAIL = 1;
const USERS = 3;
const USERS_OF_CHUNK = 1;
const BYTES = 1_000n;
const LIMITS = { 'grpc.max_receive_message_length': 1 << 28, 'grpc.max_send_message_length': 1 << 28 };
const same = (bytes) => bytes;
const RAW = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
const now = () => performance.timeOrigin + performance.now();
const nodes = [];

/** One node. `mode` is `well`, `slow` (answers late) or `dead` (accepts calls and never answers). */
class Double {
  constructor(index) {
    Object.assign(this, { index, mode: 'well', delayMs: 0, starts: 0, number: 0n, traffic: [], repeats: false });
  }

  info() {
    const info = { running: true, coreVersion: '26.3.27', version: '0.5.0', coreType: 'xray' };
    return Buffer.from(BaseInfoResponse.encode(BaseInfoResponse.fromPartial(info)).finish());
  }

  start(bytes) {
    this.starts += 1;
    for (const expected of open.values()) expected.started(this, () => countField(bytes, USERS));
    return this.info();
  }

  collect() {
    const users = this.traffic.map((email) => ({ email, uplink: BYTES, downlink: BYTES }));
    booked += users.length;
    if (!this.repeats) this.traffic = [];
    if (users.length > 0) this.number += 1n;
    const number = users.length > 0 ? this.number : 0n;
    const sealedAt = BigInt(Math.floor(Date.now() / 1000));
    const batch = TrafficBatch.fromPartial({ ledger: `double ${this.index}`, number, sealedAt, users });
    return Buffer.from(TrafficBatch.encode(batch).finish());
  }

  /** The node holds the users of a call now. */
  hold(emails) {
    for (const expected of open.values()) expected.held(this, emails);
  }
}

/** Users in the batches of all nodes so far. */
let booked = 0;
/** What is waited for, by the id of the command. */
const open = new Map();

/** Waits until all nodes that are well hold a user by this name, or so many users more, or were started with so many each. */
class Expected {
  constructor(id, { name, count, startedWith }) {
    Object.assign(this, { id, suffix: name && `.${name}`, count, startedWith, received: new Map() });
    this.missing = new Set(nodes.filter(({ mode }) => mode === 'well'));
  }

  held(node, emails) {
    const received = (this.received.get(node) ?? 0) + emails.length;
    this.received.set(node, received);
    if (this.suffix ? emails.some((email) => email.endsWith(this.suffix)) : received >= this.count) this.settle(node);
  }

  started(node, countUsers) {
    if (this.startedWith !== undefined && countUsers() >= this.startedWith[node.index]) this.settle(node);
  }

  settle(node) {
    this.missing.delete(node);
    if (this.missing.size > 0 || !open.delete(this.id)) return;
    process.send({ id: this.id, event: 'held', at: now() });
  }
}

function countField(bytes, field) {
  const reader = new BinaryReader(bytes);
  let count = 0;
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === field) count += 1;
    reader.skip(type);
  }
  return count;
}

function emailsOf(chunk) {
  const reader = new BinaryReader(chunk);
  const emails = [];
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === USERS_OF_CHUNK) emails.push(emailOf(reader.bytes()));
    else reader.skip(type);
  }
  return emails;
}

function emailOf(bytes) {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    if (number === EMAIL) return reader.string();
    reader.skip(type);
  }
  return '';
}

const later = (node, answer) => {
  if (node.mode === 'dead') return;
  if (node.mode === 'slow') setTimeout(answer, node.delayMs);
  else answer();
};

function serve(node, { key, cert }) {
  const server = new Server(LIMITS);
  const add = (definition, handle) => {
    const { path, requestStream } = definition;
    server.addService({ [path]: { path, requestStream, responseStream: false, ...RAW } }, { [path]: handle });
  };
  const unary = (definition, answer) =>
    add(definition, (call, done) => later(node, () => done(null, answer(call.request))));
  unary(rpc.getBaseInfo, () => node.info());
  unary(rpc.start, (bytes) => node.start(bytes));
  unary(rpc.collectTraffic, () => node.collect());
  unary(rpc.stop, () => Buffer.alloc(0));
  unary(rpc.syncUsers, () => Buffer.alloc(0));
  const stream = (definition, read) =>
    add(definition, (call, done) => {
      const emails = [];
      call.on('data', (bytes) => emails.push(...read(bytes)));
      call.on('end', () =>
        later(node, () => {
          node.hold(emails);
          done(null, Buffer.alloc(0));
        }),
      );
    });
  stream(rpc.syncUser, (bytes) => [emailOf(bytes)]);
  stream(rpc.syncUsersChunked, emailsOf);
  const credentials = ServerCredentials.createSsl(null, [
    { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) },
  ]);
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, port) => (error ? reject(error) : resolve(port))),
  );
}

const COMMANDS = {
  async open({ count, ...certificate }) {
    for (let index = 0; index < count; index += 1) nodes.push(new Double(index));
    return { ports: await Promise.all(nodes.map((node) => serve(node, certificate))) };
  },
  /** Another answer follows when it is so. */
  expect({ id, ...what }) {
    open.set(id, new Expected(id, what));
    return { expecting: true };
  },
  mode({ from, to, mode, delayMs = 0 }) {
    for (const node of nodes.slice(from, to)) Object.assign(node, { mode, delayMs });
    return {};
  },
  /** The next batches of the nodes have traffic of these users; with `repeats` all batches from now on. */
  traffic({ emails, repeats = false }) {
    const share = Math.ceil(emails.length / nodes.length);
    for (const [index, node] of nodes.entries())
      Object.assign(node, { repeats, traffic: emails.slice(index * share, (index + 1) * share) });
    return {};
  },
  booked: () => ({ booked }),
};

process.on('disconnect', () => process.exit());
process.on('message', async ({ command, ...given }) =>
  process.send({ id: given.id, ...(await COMMANDS[command](given)) }),
);
