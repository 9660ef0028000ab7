import type { EditableJson, EditableObject } from '@rampart/testing';

/** Numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: () => number, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
const deep = (depth: number): EditableJson => (depth === 0 ? 'deep' : { nested: [deep(depth - 1)] });

const VALUES: readonly EditableJson[] = [
  ...[null, true, false, 0, -1, 1e21, 65_536, 2 ** 53, 0.5, '', ' ', ',', 'null', '~', '~rampart-', 'a,~rampart-api-'],
  ...[
    'regexp:(',
    'geoip:private',
    'geoip:xx',
    'direct',
    'api',
    'ſ',
    'K',
    'ẞ',
    '\u0000',
    '\ud800',
    '🦊',
    '../..',
    '/x,1',
  ],
  ...[[], {}, [null], [''], [[]], [{}], { tag: null }, ['~'], 'x'.repeat(10_000), '0-65535', '1-', 'env:HOME', 'none'],
];
const KEYS = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'tag',
  'TAG',
  'selector',
  'users',
  '',
];

/** The same configuration with some of its values and keys changed. */
export function mutate(config: EditableObject, random: () => number): string {
  const copy: EditableObject = structuredClone(config);
  for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) mutateOnce(copy, random);
  // A key "__proto__" can only be written into a text.
  return JSON.stringify(copy).replaceAll('"@proto@"', '"__proto__"');
}

function mutateOnce(root: EditableObject, random: () => number): void {
  const places = [...placesIn(root)];
  const { parent, key } = pick(random, places);
  const action = random();
  if (action < 0.45) put(parent, key, pick(random, VALUES));
  else if (action < 0.6) put(parent, key, parent === root ? {} : undefined);
  else if (action < 0.7) put(parent, key, pick(random, places).parent as EditableJson);
  else if (action < 0.75) put(parent, key, deep(pick(random, [10, 40, 200])));
  else if (action < 0.9) rename(parent, key, random);
  else put(parent, pick(random, KEYS), pick(random, VALUES));
}

interface Place {
  readonly parent: EditableObject | EditableJson[];
  readonly key: string;
}

function* placesIn(parent: EditableObject | EditableJson[]): Generator<Place> {
  for (const [key, value] of Object.entries(parent)) {
    yield { parent, key };
    if (typeof value === 'object' && value !== null) yield* placesIn(value);
  }
}

function put(parent: EditableObject | EditableJson[], key: string, value: EditableJson | undefined): void {
  const name = key === '__proto__' ? '@proto@' : key;
  const copy = value === undefined ? undefined : structuredClone(value);
  if (!Array.isArray(parent)) parent[name] = copy;
  else if (copy === undefined) parent.splice(Number(key), 1);
  else if (/^\d+$/.test(key)) parent[Number(key)] = copy;
  else parent.push(copy);
}

function rename(parent: EditableObject | EditableJson[], key: string, random: () => number): void {
  if (Array.isArray(parent)) {
    parent.push(...structuredClone(parent));
    return;
  }
  const value = parent[key];
  if (random() < 0.7) delete parent[key];
  const odd = key.replace('s', 'ſ').replace('k', 'K');
  put(parent, pick(random, [key.toUpperCase(), `${key} `, odd, ...KEYS]), value);
}
