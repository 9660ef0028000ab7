import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningClient, type SingBoxName, singBoxComplaint, startSingBox } from '../testing/clients.js';
import { SERVED_NAMES, type ServedGrid, serveGrid } from '../testing/served-grid.js';
import { fetchPatiently, freePorts, page } from '../testing/serving.js';
import { renderSingBox } from './sing-box.js';

/** What it cannot carry (measured: field of clients). */
const LACKING = (name: string): boolean =>
  /xhttp|kcp|with encryption|custom path/.test(name) ||
  /tcp-http (tls|reality)/.test(name) ||
  (/^shadowsocks/.test(name) && !/ tcp none$| ws none$| with one name/.test(name));

let served: ServedGrid;
beforeAll(async () => {
  served = await serveGrid();
}, 60_000);
afterAll(() => served?.close());

describe.each<[SingBoxName, string | undefined]>([
  ['sing-box', undefined],
  ['sing-box-1.11', '1.11.15'],
])('a profile for %s', (program, version) => {
  let client: RunningClient;
  let tags: string[];
  let body: string;
  beforeAll(async () => {
    const rendered = renderSingBox(served.proxies, version);
    body = rendered.body;
    tags = JSON.parse(body)
      .outbounds.map(({ tag }: { tag: string }) => tag)
      .filter((tag: string) => SERVED_NAMES.includes(tag));
    expect(rendered.leftOut).toBe(SERVED_NAMES.length - tags.length);
    const [port = 0] = await freePorts(1);
    client = await startSingBox(program, body, tags, port, served.certificateFile);
  }, 60_000);
  afterAll(() => client?.close());

  it('is accepted as a whole', async () => {
    expect(await singBoxComplaint(program, body)).toBe('');
  });

  it('leaves out what it cannot carry', () => {
    expect(tags).toEqual(SERVED_NAMES.filter((name) => !LACKING(name)));
  });

  it.each(SERVED_NAMES.filter((name) => !LACKING(name)))('carries traffic: %s', async (name) => {
    const path = `/${encodeURIComponent(name)}/`;
    const answer = await fetchPatiently(client.port, `u${tags.indexOf(name)}`, served.pages.port, path);
    expect(answer).toBe(page(path));
  });

  it('is accepted without any proxy', async () => {
    expect(await singBoxComplaint(program, renderSingBox([], version).body)).toBe('');
  });
});
