import { describe, expect, it } from '@jest/globals';
import { keysOf, lineOfMistake, placeInText } from './place-in-text';

const TEXT = `{
  // the first
  "inbounds": [{ "tag": "a",
    "port": 443 }]
}`;
const found = (path: string) => {
  const { from, to } = placeInText(TEXT, path);
  return TEXT.slice(from, to);
};

describe(placeInText.name, () => {
  it('finds the value of a path, up to the end of its line', () => {
    expect(keysOf('inbounds[0].port')).toEqual(['inbounds', 0, 'port']);
    expect(found('config.inbounds[0].port')).toBe('443');
    expect(found('inbounds[0]')).toBe('{ "tag": "a",');
  });

  it('finds the nearest value of a path that leads nowhere, else the first line', () => {
    expect(found('inbounds[0].streamSettings.security')).toBe('{ "tag": "a",');
    expect(found('outbounds[3]')).toBe('{');
    expect(placeInText('no json', 'inbounds')).toEqual({ from: 0, to: 7 });
  });
});

describe(lineOfMistake.name, () => {
  it('is the line that the server names, else the first one', () => {
    const text = '{\n  "a": 1\n  "b": 2\n}';
    const line = (message: string) => {
      const { from, to } = lineOfMistake(text, message);
      return text.slice(from, to);
    };
    expect(line('config is not valid JSON: line 3, column 3: comma expected')).toBe('  "b": 2');
    expect(line('config is nested deeper than 100 levels')).toBe('{');
  });
});
