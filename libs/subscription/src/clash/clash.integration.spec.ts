import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mihomoComplaint, type RunningClient, startMihomo } from '../testing/clients.js';
import { SERVED_NAMES, type ServedGrid, serveGrid } from '../testing/served-grid.js';
import { fetchPatiently, freePorts, page } from '../testing/serving.js';
import { renderClash, renderClashMeta } from './clash.js';

/** What mihomo cannot carry (measured: field of clients). */
const LACKING = (name: string): boolean =>
  (/kcp/.test(name) && name !== 'vmess kcp with a mask none') ||
  /^(vmess|trojan) xhttp/.test(name) ||
  /^trojan \S+ none/.test(name) ||
  /^trojan tcp-http/.test(name) ||
  (/^shadowsocks/.test(name) && !/ tcp none$| ws none$| with one name/.test(name));

/** Of that, what the first Clash cannot carry either. */
const LACKING_IN_CLASH = (name: string): boolean =>
  LACKING(name) || /^vless|reality|httpupgrade|xhttp|kcp|2022|shadowsocks ws|grpc none/.test(name);

let served: ServedGrid;
beforeAll(async () => {
  served = await serveGrid();
}, 60_000);
afterAll(() => served?.close());

describe.each([
  ['mihomo', renderClashMeta, LACKING],
  ['the first Clash', renderClash, LACKING_IN_CLASH],
])('a profile for %s', (_, render, lacks) => {
  let client: RunningClient;
  let names: string[];
  let body: string;
  beforeAll(async () => {
    const rendered = render(served.proxies);
    body = rendered.body;
    names = body.split('\n').flatMap((line) => {
      const name = line.startsWith('  - {"name"') ? JSON.parse(line.slice(4)).name : undefined;
      return SERVED_NAMES.includes(name) ? [name] : [];
    });
    expect(rendered.leftOut).toBe(SERVED_NAMES.length - names.length);
    const [port = 0] = await freePorts(1);
    client = await startMihomo(body, names, port, served.certificateFile);
  }, 60_000);
  afterAll(() => client?.close());

  it('is accepted as a whole', async () => {
    expect(await mihomoComplaint(body)).toBe('');
  });

  it('leaves out what it cannot carry', () => {
    expect(names).toEqual(SERVED_NAMES.filter((name) => !lacks(name)));
  });

  it.each(SERVED_NAMES.filter((name) => !lacks(name)))('carries traffic: %s', async (name) => {
    const path = `/${encodeURIComponent(name)}/`;
    const answer = await fetchPatiently(client.port, `u${names.indexOf(name)}`, served.pages.port, path);
    expect(answer).toBe(page(path));
  });

  it('is accepted without any proxy', async () => {
    expect(await mihomoComplaint(render([]).body)).toBe('');
  });
});
