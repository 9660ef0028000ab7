import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { engineVerdict, startEngine } from '../testing/engine.js';
import type { Json } from '../testing/grid.js';
import { SERVED_NAMES, type ServedGrid, serveGrid } from '../testing/served-grid.js';
import { fetchThrough, freePorts, page } from '../testing/serving.js';
import { renderXray } from './xray.js';

interface ClientConfig {
  readonly remarks: string;
  readonly outbounds: readonly Json[];
}

let served: ServedGrid;
let proxyPort: number;
let clients: ReadonlyMap<string, ClientConfig>;
let stop: () => Promise<void>;

beforeAll(async () => {
  served = await serveGrid();
  const rendered: ClientConfig[] = JSON.parse(renderXray(served.proxies));
  clients = new Map(rendered.map((client) => [client.remarks, client]));
  [proxyPort = 0] = await freePorts(1);
  stop = await startEngine(allClients(clients, proxyPort), { SSL_CERT_FILE: served.certificateFile });
}, 60_000);

afterAll(async () => {
  await stop?.();
  await served?.close();
});

describe('a client configuration for the engine', () => {
  it.each(SERVED_NAMES)('is accepted and carries traffic: %s', async (name) => {
    const client = clients.get(name);
    expect(await engineVerdict(client ?? {})).toBe('accepted');
    const path = `/${encodeURIComponent(name)}/`;
    expect(await fetchThrough(proxyPort, name, served.pages.port, path)).toBe(page(path));
  });
});

/** All proxies in one engine: the user of the HTTP proxy says which. */
function allClients(configs: ReadonlyMap<string, ClientConfig>, port: number): Json {
  const accounts = [...configs.keys()].map((user) => ({ user, pass: 'password' }));
  return {
    inbounds: [{ tag: 'http', listen: '127.0.0.1', port, protocol: 'http', settings: { accounts } }],
    outbounds: [...configs].map(([tag, { outbounds }]) => ({ ...outbounds[0], tag })),
    routing: { rules: [...configs.keys()].map((tag) => ({ type: 'field', user: [tag], outboundTag: tag })) },
  };
}
