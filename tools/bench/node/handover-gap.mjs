// Measures how long a port has no listener during a handover in which the two engines cannot listen at the same time.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { freePorts } from './free-ports.mjs';
import { NodeProcess } from './node-process.mjs';
import { makeUsers, nodeUser } from './users.mjs';

const HANDOVERS = 5;
const SETTLE_MS = 300;

const STREAMS = {
  grpc: { network: 'grpc', grpcSettings: { serviceName: 'bench' } },
  xhttp: { network: 'xhttp', xhttpSettings: { path: '/bench' } },
  kcp: { network: 'kcp' },
};

/** Returns the rows of the table: the longest of five gaps for each transport, in milliseconds. */
export async function measureGaps(enginePath, count) {
  const rows = [];
  for (const [network, streamSettings] of Object.entries(STREAMS)) {
    const node = await longestGap(enginePath, streamSettings, count);
    rows.push({ what: `gap of a handover, ${network}`, node, goal: '50 ms up to 4,000 users' });
  }
  return rows;
}

async function longestGap(enginePath, streamSettings, count) {
  const [port] = await freePorts(1);
  const node = await NodeProcess.open(enginePath);
  const users = makeUsers(count).map((user) => nodeUser(user, ['in']));
  const start = (number) => node.client.start({ config: configOf(port, streamSettings, number), users });
  const probe = streamSettings.network === 'kcp' ? probeUdp : probeTcp;
  try {
    await start(0);
    let longest = 0;
    for (let number = 1; number <= HANDOVERS; number += 1) {
      const probing = new AbortController();
      const gap = probe(port, probing.signal);
      await start(number);
      await setTimeout(SETTLE_MS);
      probing.abort();
      longest = Math.max(longest, await gap);
    }
    return longest;
  } finally {
    await node.close();
  }
}

/** Measures the time from the first refused connection to the last one. */
async function probeTcp(port, signal) {
  const refusals = new Refusals();
  while (!signal.aborted) {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect').catch(() => refusals.note());
    socket.resetAndDestroy();
    await setImmediate();
  }
  return refusals.span;
}

/** Measures the same for UDP: the system reports to a connected socket that nobody listens. */
async function probeUdp(port, signal) {
  const refusals = new Refusals();
  const socket = createSocket('udp4').on('error', () => refusals.note());
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  while (!signal.aborted) {
    socket.send('probe', (error) => error && refusals.note());
    await setImmediate();
  }
  socket.close();
  return refusals.span;
}

class Refusals {
  first;
  last;

  note() {
    this.last = performance.now();
    this.first ??= this.last;
  }

  get span() {
    return this.first === undefined ? 0 : this.last - this.first;
  }
}

/** A configuration that differs from others only by its number. */
function configOf(port, streamSettings, number) {
  return JSON.stringify({
    log: { loglevel: 'none' },
    inbounds: [
      {
        ...{ tag: 'in', listen: '127.0.0.1', port, protocol: 'vless' },
        ...{ settings: { decryption: 'none' }, streamSettings },
      },
    ],
    outbounds: [{ tag: `direct-${number}`, protocol: 'freedom' }],
  });
}
