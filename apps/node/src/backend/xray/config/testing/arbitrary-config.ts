import type { EditableJson, EditableObject } from '@rampart/testing';
import fc from 'fast-check';

/** Changes one member of a configuration, which a number selects. */
type Change = (config: EditableObject, place: number) => void;

const KINDS: readonly EditableJson[] = [
  ...[null, true, false, 0, -1, 1.5, 443, 70_000, '', ' ', 'x', '80,', '10-5', '0', 'none', 'reality', 'h3'],
  ...[[], {}, [null], [7], [{}], ['h3'], 'a,~rampart-b', '/run/x.sock,999', `/${'x'.repeat(107)}`, '@a', '\u0000'],
];
const NETWORKS = ['raw', 'TCP', 'websocket', 'gun', 'SplitHTTP', 'xhttp', 'mKCP', 'hysteria', 'h2', 'QUIC', 'future'];

interface Place {
  readonly parent: EditableObject | EditableJson[];
  readonly key: string;
}

function placesIn(parent: EditableObject | EditableJson[]): Place[] {
  return Object.entries(parent).flatMap(([key, value]) => [
    { parent, key },
    ...(typeof value === 'object' && value !== null ? placesIn(value) : []),
  ]);
}

/** Makes a change of the selected member; an empty configuration stays unchanged. */
const at =
  (change: (place: Place) => void): Change =>
  (config, number) => {
    const places = placesIn(config);
    const place = places[number % places.length];
    if (place !== undefined) change(place);
  };

const put = ({ parent, key }: Place, value: EditableJson): void => {
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
};

const valueAt = ({ parent, key }: Place): EditableJson => (parent as EditableObject)[key] ?? null;

const drop = at(({ parent, key }) => {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
});
const replace = (value: EditableJson) => at((place) => put(place, structuredClone(value)));
const respell = (spell: (key: string) => string, keepsOld: boolean) =>
  at((place) => {
    const { parent, key } = place;
    if (Array.isArray(parent)) return;
    const value = valueAt(place);
    if (!keepsOld) delete parent[key];
    put({ parent, key: spell(key) }, structuredClone(value));
  });
const add = (key: string, value: EditableJson) =>
  at(({ parent }) => {
    if (!Array.isArray(parent)) put({ parent, key }, structuredClone(value));
  });
const repeat = at((place) => {
  if (Array.isArray(place.parent)) place.parent.push(structuredClone(valueAt(place)));
});
const deep = (levels: number): EditableJson => (levels === 0 ? 'deep' : { nested: [deep(levels - 1)] });
/** Sets the transport of every inbound: a randomly selected member would seldom be a transport. */
const transport =
  (network: string): Change =>
  ({ inbounds }) => {
    for (const inbound of Array.isArray(inbounds) ? inbounds : []) {
      const { streamSettings } = Object(inbound) as EditableObject;
      if (typeof streamSettings === 'object' && !Array.isArray(streamSettings))
        Object(streamSettings).network = network;
    }
  };

const SPELLINGS: readonly ((key: string) => string)[] = [
  (key) => key.toUpperCase(),
  (key) => `${key.charAt(0).toUpperCase()}${key.slice(1)}`,
  // Letters that Go takes for an s and a k.
  (key) => key.replace('s', 'ſ').replace('k', '\u212a'),
  (key) => `${key} `,
];

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SPELLINGS).map((spell) => respell(spell, false)) },
  { weight: 1, arbitrary: fc.constantFrom(...SPELLINGS).map((spell) => respell(spell, true)) },
  { weight: 3, arbitrary: fc.constantFrom(...KINDS).map(replace) },
  { weight: 2, arbitrary: fc.constantFrom(...NETWORKS).map(transport) },
  { weight: 2, arbitrary: fc.constant(drop) },
  { weight: 1, arbitrary: fc.constant(repeat) },
  { weight: 1, arbitrary: fc.constantFrom(10, 40, 60).map((levels) => add('nested', deep(levels))) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'later').map((key) => add(key, { a: 1 })) },
);

const COMMENTS = ['/* a "comment" { */', '// one, "two"\n', '# {\n', ' '];

/** Comments between the members and elements of a JSON text, selected in turn by the numbers; never inside a string. */
function withComments(text: string, turns: readonly number[]): string {
  let comma = 0;
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|[{,[]/g, (token) => {
    if (token.startsWith('"')) return token;
    const turn = turns[comma++ % Math.max(turns.length, 1)] ?? COMMENTS.length;
    return `${token}${COMMENTS[turn] ?? ''}`;
  });
}

/** A configuration of the corpus with some changes, as the text in which it would be sent. */
export function arbitraryConfig(corpus: readonly object[]): fc.Arbitrary<string> {
  return fc
    .record({
      config: fc.constantFrom(...corpus),
      changes: fc.array(fc.tuple(change, fc.nat(10_000)), { maxLength: 4 }),
      comments: fc.array(fc.nat(COMMENTS.length), { maxLength: 5 }),
    })
    .map(({ config, changes, comments }) => {
      const changed = JSON.parse(JSON.stringify(config)) as EditableObject;
      for (const [apply, place] of changes) apply(changed, place);
      return withComments(JSON.stringify(changed), comments);
    });
}
