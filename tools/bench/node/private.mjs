// Measures what keeping users out of private networks costs: two nodes in one run, in turns, one with `private_networks`.
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePorts } from './free-ports.mjs';
import { BUNDLE, NodeProcess } from './node-process.mjs';

const ADDRESS = '127.0.0.1';
const NAME = 'target.test';
const ROUNDS = 3;
const DOWNLOAD_BYTES = 300_000_000;
const SECONDS = 3;
const CONNECTIONS_AT_ONCE = 16;
const PACKETS_AT_ONCE = 64;

/** Returns rows with the best of some rounds without and with `private_networks`; higher is better. */
export async function measurePrivateNetworks(enginePath) {
  const target = fork(join(import.meta.dirname, 'private-target.mjs'), { env: { PATH: process.env.PATH } });
  const nodes = {};
  try {
    const [ports] = await once(target, 'message');
    nodes.open = await startNode(enginePath);
    // The target is on this machine, so its network is allowed.
    nodes.kept = await startNode(enginePath, { privateNetworks: { allowed: ['127.0.0.0/8'] } });
    const measures = [ADDRESS, NAME].flatMap((host) => [
      { what: `download, ${labelOf(host)}`, unit: 'MB/s', run: (socks) => download(socks, host, ports.tcp) },
      { what: `connections, ${labelOf(host)}`, unit: '/s', run: (socks) => connections(socks, host, ports.tcp) },
      {
        what: `packets of one UDP session, ${labelOf(host)}`,
        unit: '/s',
        run: (socks) => packets(socks, host, ports.udp),
      },
    ]);
    const rows = [];
    for (const { what, unit, run } of measures) {
      const best = { open: 0, kept: 0 };
      for (let round = 0; round < ROUNDS; round += 1)
        for (const kind of ['open', 'kept']) best[kind] = Math.max(best[kind], await run(nodes[kind].socks));
      rows.push({ what, unit, ...best });
    }
    return rows;
  } finally {
    target.disconnect();
    for (const { node } of Object.values(nodes)) await node.close();
  }
}

const labelOf = (host) => (host === NAME ? 'by name' : 'by address');

async function startNode(enginePath, backend = {}) {
  const node = await NodeProcess.open(enginePath, BUNDLE);
  const [socks] = await freePorts(1);
  const config = {
    log: { loglevel: 'none' },
    dns: { hosts: { [NAME]: ADDRESS }, servers: [ADDRESS] },
    inbounds: [
      {
        tag: 'socks',
        listen: ADDRESS,
        port: socks,
        protocol: 'socks',
        settings: { auth: 'noauth', udp: true, ip: ADDRESS },
      },
    ],
    outbounds: [{ tag: 'direct', protocol: 'freedom', settings: { domainStrategy: 'UseIP' } }],
  };
  await node.client.start({ config: JSON.stringify(config), users: [], ...backend });
  return { node, socks };
}

async function download(socks, host, port) {
  const began = performance.now();
  const received = await fetchBytes(socks, host, port, DOWNLOAD_BYTES);
  if (received !== DOWNLOAD_BYTES) throw new Error(`${received} of ${DOWNLOAD_BYTES} bytes came through the node`);
  return received / 1e6 / ((performance.now() - began) / 1000);
}

async function connections(socks, host, port) {
  const end = performance.now() + SECONDS * 1000;
  let done = 0;
  const one = async () => {
    while (performance.now() < end) {
      if ((await fetchBytes(socks, host, port, 100)) !== 100) throw new Error('a connection through the node failed');
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS_AT_ONCE }, one));
  return done / SECONDS;
}

/** Echoed packets a second of one session, always with some on their way. */
async function packets(socks, host, port) {
  const control = await openSocks(socks);
  const reply = await command(control, 3, ADDRESS, 0);
  const relay = reply.readUInt16BE(reply.length - 2);
  const socket = createSocket('udp4');
  const packet = Buffer.concat([Buffer.from([0, 0, 0]), addressOf(host, port), Buffer.alloc(1_000)]);
  const send = () => socket.send(packet, relay, ADDRESS);
  try {
    let echoed = 0;
    socket.on('message', () => {
      echoed += 1;
      send();
    });
    send();
    await once(socket, 'message');
    for (let count = 1; count < PACKETS_AT_ONCE; count += 1) send();
    await setTimeout(200);
    const before = echoed;
    await setTimeout(SECONDS * 1000);
    if (echoed === before) throw new Error('no packet came back through the node');
    return (echoed - before) / SECONDS;
  } finally {
    socket.close();
    control.destroy();
  }
}

async function fetchBytes(socks, host, port, count) {
  const socket = await openSocks(socks);
  await command(socket, 1, host, port);
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
    // The engine keeps a connection for a moment when one side has ended it.
    if (received >= count) socket.destroy();
  });
  socket.write(String(count));
  await once(socket, 'close');
  return received;
}

async function openSocks(port) {
  const socket = connect(port, ADDRESS);
  await once(socket, 'connect');
  socket.write(Buffer.from([5, 1, 0]));
  await once(socket, 'data');
  return socket;
}

async function command(socket, number, host, port) {
  socket.write(Buffer.concat([Buffer.from([5, number, 0]), addressOf(host, port)]));
  const [reply] = await once(socket, 'data');
  if (reply[1] !== 0) throw new Error(`the node answers ${reply[1]} to a request of SOCKS for ${host}`);
  return reply;
}

function addressOf(host, port) {
  const ports = Buffer.alloc(2);
  ports.writeUInt16BE(port);
  const address =
    host === NAME
      ? Buffer.concat([Buffer.from([3, host.length]), Buffer.from(host)])
      : Buffer.from([1, ...host.split('.').map(Number)]);
  return Buffer.concat([address, ports]);
}
