import { describe, expect, it } from '@jest/globals';
import { AtRestCipher } from './at-rest-cipher.js';

const cipher = new AtRestCipher(Buffer.alloc(32, 1));

describe(AtRestCipher.name, () => {
  it('decrypts what it encrypted, which differs each time', () => {
    const sealed = [1, 2].map(() => cipher.seal('the key ✓', 'node:7'));
    expect(sealed.map((one) => cipher.open(one, 'node:7'))).toEqual(['the key ✓', 'the key ✓']);
    expect(sealed[0]).not.toEqual(sealed[1]);
    expect(Buffer.concat(sealed).includes('the key')).toBe(false);
  });

  it('decrypts nothing for another row or with another key', () => {
    const sealed = cipher.seal('secret', 'node:7');
    expect(() => cipher.open(sealed, 'node:8')).toThrow();
    expect(() => new AtRestCipher(Buffer.alloc(32, 2)).open(sealed, 'node:7')).toThrow();
  });

  it('decrypts nothing with a changed or missing byte', () => {
    const sealed = cipher.seal('secret', 'node:7');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => cipher.open(changed, 'node:7')).toThrow();
      expect(() => cipher.open(sealed.subarray(0, at), 'node:7')).toThrow();
    }
  });

  it('decrypts what the previous key encrypted, and reports it', () => {
    const rotated = new AtRestCipher(Buffer.alloc(32, 2), Buffer.alloc(32, 1));
    const [old, fresh] = [cipher.seal('secret', 'node:7'), rotated.seal('secret', 'node:7')];
    expect([old, fresh].map((sealed) => rotated.open(sealed, 'node:7'))).toEqual(['secret', 'secret']);
    expect([old, fresh].map((sealed) => rotated.isOutdated(sealed))).toEqual([true, false]);
    expect([old, fresh].map((sealed) => cipher.isOutdated(sealed))).toEqual([false, false]);
    expect(() => cipher.open(fresh, 'node:7')).toThrow('not a sealed secret');
  });

  it('does not decrypt what neither key encrypted', () => {
    const rotated = new AtRestCipher(Buffer.alloc(32, 2), Buffer.alloc(32, 1));
    const foreign = new AtRestCipher(Buffer.alloc(32, 3)).seal('secret', 'node:7');
    expect(rotated.isOutdated(foreign)).toBe(false);
    expect(() => rotated.open(foreign, 'node:7')).toThrow('not a sealed secret');
  });
});
