// Real nodes with real engines, which a management under measurement serves.
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from './node/free-ports.mjs';
import { enginePath } from './node/measure.mjs';
import { API_KEY, NodeProcess } from './node/node-process.mjs';

/** How many nodes are started at once. */
const STARTED_AT_ONCE = 4;
const POLL_MS = 50;

/** The tags of the inbounds of each node. */
export const TAGS = ['vless', 'vless-2'];

const configOf = (ports) => ({
  log: { loglevel: 'none' },
  inbounds: TAGS.map((tag, index) => ({
    ...{ tag, listen: '127.0.0.1', port: ports[index], protocol: 'vless' },
    settings: { clients: [], decryption: 'none' },
  })),
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
});

/** Starts so many nodes, has management serve them, and waits until all are connected. Each has a core with ports of its own. */
export async function startNodes(service, count) {
  const nodes = [];
  try {
    for (let begun = 0; begun < count; begun += STARTED_AT_ONCE) {
      const some = Array.from({ length: Math.min(STARTED_AT_ONCE, count - begun) }, () => startNode(service));
      for (const started of await Promise.allSettled(some)) {
        if (started.status === 'rejected') throw started.reason;
        nodes.push(started.value);
      }
    }
    await allConnected(service);
    return nodes;
  } catch (error) {
    await stopNodes(nodes);
    throw error;
  }
}

export const stopNodes = (nodes) => Promise.all(nodes.map(({ process }) => process.close()));

async function startNode(service) {
  const process = await NodeProcess.open(enginePath());
  const ports = await freePorts(TAGS.length);
  const name = `node ${process.port}`;
  const core = await service.call('POST', '/api/core', { name, config: configOf(ports) });
  await service.call('POST', '/api/node', {
    ...{ name, address: '127.0.0.1', port: process.port, connection_type: 'grpc', keep_alive: 0 },
    ...{ server_ca: process.ca, core_config_id: JSON.parse(core.text).id, api_key: API_KEY },
  });
  return { process, ports };
}

export async function allConnected(service) {
  for (;;) {
    const { text } = await service.call('GET', '/api/nodes');
    const nodes = JSON.parse(text);
    const failed = nodes.find(({ status }) => status === 'error');
    if (failed) throw new Error(`${failed.name}: ${failed.message}`);
    if (nodes.every(({ status }) => status === 'connected')) return;
    await wait(POLL_MS);
  }
}
