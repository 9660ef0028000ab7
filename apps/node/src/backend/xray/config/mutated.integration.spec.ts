import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EditableObject, enginePath, freePort, REALISTIC_CONFIGS, SECRETS } from '@rampart/testing';
import { NodeError } from '../../../errors/node-error.js';
import { createNodeFixture, type NodeFixture, startRequest } from '../../../testing/nodes/test-node.js';
import {
  API_INBOUND_PREFIX,
  API_TAG_PREFIX,
  GUARD_PREFIX,
  GUARDS_OUTBOUND,
  RESERVED_PREFIX,
} from '../names/reserved.js';
import { type EnginePlan, planConfig } from './plan/engine-plan.js';
import { renderConfig } from './plan/render-config.js';
import { mutate, seeded } from './testing/mutations.js';

const COUNT = 2000;
const SAMPLE = 60;
const CHANNEL = {
  tag: `${API_TAG_PREFIX}x`,
  inboundTag: `${API_INBOUND_PREFIX}x`,
  socketPath: '/tmp/rampart-none/api.sock',
};
const ALIAS = `${RESERVED_PREFIX}alias-`;

const plan = (text: string) => planConfig({ text, excludedInbounds: ['own'] });
const rendered = (planned: EnginePlan) => renderConfig(planned, CHANNEL, () => []);
const random = seeded(20_260_327);
const texts = Array.from({ length: COUNT }, (_, index) =>
  mutate(REALISTIC_CONFIGS[index % REALISTIC_CONFIGS.length] as EditableObject, random),
);
const judged = texts.map((text) => {
  const began = performance.now();
  try {
    return { text, planned: plan(text), took: performance.now() - began };
  } catch (error) {
    return { text, error, took: performance.now() - began };
  }
});
const accepted = judged.flatMap(({ text, planned }) => (planned === undefined ? [] : [{ text, planned }]));
const refusals = judged.flatMap(({ error }) => (error === undefined ? [] : [error]));

describe(`${COUNT} mutated configurations`, () => {
  it('mutated configurations are accepted or refused, each within a second, and change nothing else', () => {
    expect(accepted.length).toBeGreaterThan(COUNT / 4);
    expect(refusals.length).toBeGreaterThan(COUNT / 4);
    for (const error of refusals) expect(error).toMatchObject({ name: 'NodeError', code: 'CONFIG_REFUSED' });
    expect(Math.max(...judged.map(({ took }) => took))).toBeLessThan(1000);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { tag?: unknown }).tag).toBeUndefined();
  });

  it('refusals of mutated configurations contain none of their secrets', () => {
    const words = refusals.map((error) => (error instanceof NodeError ? error.message : ''));
    for (const secret of Object.values(SECRETS)) expect(words.filter((text) => text.includes(secret))).toEqual([]);
  });

  it('mutated configurations are rendered the same each time', () => {
    for (const { text, planned } of accepted) expect(rendered(plan(text))).toBe(rendered(planned));
  });

  it('mutated configurations reach the API only through the channel of the node', () => {
    for (const { text, planned } of accepted) expect(doorsIn(JSON.parse(rendered(planned)), text)).toEqual([]);
  });
});

const GUARDS_RULE = { type: 'field', user: [`regexp:^${GUARD_PREFIX}`], outboundTag: GUARDS_OUTBOUND };

/** Finds everything in the engine's configuration that can name or select the tags of the API. */
function doorsIn(config: Record<string, never>, text: string): string[] {
  const { inbounds, outbounds, routing, api, ...others } = config as unknown as {
    inbounds: EditableObject[];
    outbounds: EditableObject[];
    routing: { rules: EditableObject[]; balancers?: EditableObject[] };
    api: EditableObject;
  } & Record<string, EditableObject | undefined>;
  const doors: string[] = [];
  if (outbounds.length === 0) doors.push('the API is the first outbound');
  if (JSON.stringify(api['tag']) !== JSON.stringify(CHANNEL.tag) || 'listen' in api)
    doors.push('the API has another way');
  // The first inbound, the first rule, and what leads guards nowhere were added by the node.
  const ofGuards = [GUARDS_RULE, { tag: GUARDS_OUTBOUND, protocol: 'blackhole' }].map((one) => JSON.stringify(one));
  const isOther = (one: EditableObject): boolean => !ofGuards.includes(JSON.stringify(one));
  const rest = {
    inbounds: inbounds.slice(1),
    outbounds: outbounds.filter(isOther),
    routing: { ...routing, rules: routing.rules.slice(1).filter(isOther) },
    others,
  };
  if (JSON.stringify(rest).replaceAll(ALIAS, '').includes(RESERVED_PREFIX)) doors.push('a reserved name');
  const selectors = [
    ...(routing.balancers ?? []).map((balancer) => balancer['selector']),
    ...['observatory', 'burstObservatory'].map((name) => others[name]?.['subjectSelector']),
  ];
  for (const selector of selectors) {
    const list = typeof selector === 'string' ? selector.split(',') : Array.isArray(selector) ? selector : [];
    // The engine reads null as an empty text and refuses everything else that is not a text.
    const names = list.map((item) => item ?? '').filter((item) => typeof item === 'string');
    if (names.some((name) => CHANNEL.tag.startsWith(name))) doors.push('a selector');
  }
  return doors.map((door) => `${door}: ${text.slice(0, 500)}`);
}

describe('the engine', () => {
  it.each(REALISTIC_CONFIGS.map((config, index) => [index, config]))(
    'takes the configuration %i',
    async (_i, config) => {
      expect(await exitCode(rendered(plan(JSON.stringify(config))))).toBe(0);
    },
  );

  it(`the engine's check of ${SAMPLE} accepted mutated configurations ends each time with code 0, 2 or 23`, async () => {
    const codes = await Promise.all(accepted.slice(0, SAMPLE).map(({ planned }) => exitCode(rendered(planned))));
    // 23 is a refusal by the engine; a crash counts as one while the engine only reads.
    expect(codes.filter((code) => ![0, 2, 23].includes(code))).toEqual([]);
    expect(codes.filter((code) => code === 0).length).toBeGreaterThan(SAMPLE / 4);
  }, 60_000);
});

function exitCode(text: string): Promise<number> {
  return new Promise((resolve) => {
    const options = { env: {}, timeout: 20_000 };
    const check = execFile(enginePath(), ['run', '-test', '-c', 'stdin:'], options, (error) => {
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : -1);
    });
    check.stdin?.end(text);
  });
}

describe('Start', () => {
  let test: NodeFixture;
  beforeAll(async () => {
    test = createNodeFixture();
    const inbounds = [{ tag: 'in', listen: '127.0.0.1', port: await freePort(), protocol: 'http' }];
    await test.node.start(startRequest({ inbounds, outbounds: [{ tag: 'direct', protocol: 'freedom' }] }));
  });
  afterAll(() => test.close());

  it('refuses configurations that the node or the engine refuses, without affecting the running engine', async () => {
    const pids = await test.enginePids();
    const before = test.node.info();
    const refusedTexts = judged.flatMap(({ text, error }) => (error === undefined ? [] : [text]));
    const invalid = JSON.stringify({ outbounds: [{ tag: 'direct', protocol: 'nothing' }] });
    for (const text of [...refusedTexts, invalid]) {
      const request = { ...startRequest({}), config: text };
      await expect(test.node.start(request)).rejects.toMatchObject({ code: 'CONFIG_REFUSED' });
    }
    expect(await test.enginePids()).toEqual(pids);
    expect(test.node.info()).toEqual({ ...before, timeMs: expect.any(BigInt) });
  });
});
