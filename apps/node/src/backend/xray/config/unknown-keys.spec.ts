import { describe, expect, it } from '@jest/globals';
import { type EditableObject, REALISTIC_CONFIGS } from '@rampart/testing';
import { isObject } from './json-tree.js';
import { planConfig } from './plan/engine-plan.js';
import { renderConfig } from './plan/render-config.js';

const CHANNEL = { tag: '~rampart-api-x', inboundTag: '~rampart-in-x', socketPath: '/api.sock' };
const MARK = 'of a later engine';
/** Objects that the node replaces: the API, and the configuration's own inbound and rule for it. */
const REPLACED = ['api', 'inbounds.0', 'inbounds.0.settings', 'inbounds.0.sniffing', 'routing.rules.0'];

function* objectsIn(value: unknown, path: string[] = []): Generator<{ object: EditableObject; path: string[] }> {
  if (isObject(value)) yield { object: value as EditableObject, path };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) yield* objectsIn(item, [...path, key]);
}

describe('unknown keys', () => {
  it.each(REALISTIC_CONFIGS.map((config, index) => ({ config, index })))(
    'survive everywhere in configuration $index',
    ({ config }) => {
      const lost: string[] = [];
      const paths = [...objectsIn(config)].map(({ path }) => path.join('.'));
      for (const [index, path] of paths.entries()) {
        const copy = structuredClone(config);
        const { object } = [...objectsIn(copy)][index] as { object: EditableObject };
        object['later'] = { deeper: [MARK] };
        const plan = planConfig({ text: JSON.stringify(copy), excludedInbounds: ['own'] });
        const found = [...objectsIn(JSON.parse(renderConfig(plan, CHANNEL, () => [])))].filter(
          ({ object: { later } }) => JSON.stringify(later) === JSON.stringify({ deeper: [MARK] }),
        );
        if (found.length !== 1) lost.push(path);
      }
      expect(paths.length).toBeGreaterThan(10);
      expect(lost).toEqual('api' in config ? REPLACED : []);
    },
  );
});
