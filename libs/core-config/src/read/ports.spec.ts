import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonCursor } from './json-cursor.js';
import { type Ports, portAt, portCount, readPorts } from './ports.js';

const read = (value: unknown) => readPorts(new JsonCursor(value, 'port'));

describe(readPorts, () => {
  it.each<[number | string, Ports['ranges']]>([
    [443, [{ from: 443, to: 443 }]],
    ['443', [{ from: 443, to: 443 }]],
    [
      '80,443',
      [
        { from: 80, to: 80 },
        { from: 443, to: 443 },
      ],
    ],
    ['1000-1010', [{ from: 1000, to: 1010 }]],
    [
      '80, 1000 - 1010',
      [
        { from: 80, to: 80 },
        { from: 1000, to: 1010 },
      ],
    ],
    ['1-65535', [{ from: 1, to: 65535 }]],
  ])('readPorts reads the port %j', (original, ranges) => {
    expect(read(original)).toEqual({ original, ranges });
  });

  it.each([undefined, null, ''])('readPorts finds no port in %j', (value) => {
    expect(read(value)).toBeUndefined();
  });

  it.each([0, 65536, -1, 1.5, '0', '65536', '80,', ',', '10-5', '1-2-3', 'env:PORT', '80;443', [443], {}, true])(
    'readPorts refuses the port %j',
    (value) => {
      expect(() => read(value)).toThrow('port must be a port (1-65535), a list "80,443" or a range "1000-1010"');
    },
  );
});

describe(portAt, () => {
  it('portAt returns every port of a list once', () => {
    const range = fc.tuple(fc.integer({ min: 1, max: 65_000 }), fc.integer({ min: 0, max: 20 }));
    fc.assert(
      fc.property(fc.array(range, { minLength: 1, maxLength: 5 }), (ranges) => {
        const text = ranges.map(([from, more]) => (more === 0 ? `${from}` : `${from}-${from + more}`)).join(',');
        const expected = ranges.flatMap(([from, more]) => Array.from({ length: more + 1 }, (_, index) => from + index));
        const ports = read(text);
        if (ports === undefined) throw new Error('no ports');
        const reached = Array.from({ length: portCount(ports) }, (_, index) => portAt(ports, index));
        expect(reached).toEqual(expected);
        expect(() => portAt(ports, expected.length)).toThrow(RangeError);
      }),
    );
  });
});
