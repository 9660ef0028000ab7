import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readPassword } from './read-password.js';

const piped = (text: string) => new PassThrough().end(text);

describe(readPassword.name, () => {
  it.each([
    ['correct horse\n', 'correct horse'],
    ['correct horse', 'correct horse'],
    ['correct horse\r\nmore\n', 'correct horse'],
    [' spaces count ', ' spaces count '],
    ['', ''],
  ])('reads the first line of %j', async (text, password) => {
    expect(await readPassword(piped(text))).toBe(password);
  });
});
