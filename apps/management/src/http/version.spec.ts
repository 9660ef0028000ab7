import { describe, expect, it } from '@jest/globals';
import { keyVersions, versionOf } from './version.js';

const STATE = { path: '/a', headers: { a: 'b' } };

describe(versionOf.name, () => {
  it('security row 55: versions have a key, and are the same in every process that has it', () => {
    const before = versionOf(STATE);
    keyVersions(Buffer.alloc(32, 1));
    const first = versionOf(STATE);
    keyVersions(Buffer.alloc(32, 2));
    const second = versionOf(STATE);
    expect([first, second]).toEqual(['Msxdj42I-m_vnBIY6-ZKR_', 'dmBHQzBxt4Zxu20CTBKnM9']);
    expect(before).not.toBe(first);
    keyVersions(Buffer.alloc(32, 1));
    expect(versionOf({ ...STATE })).toBe(first);
    expect(versionOf({ ...STATE, path: '/b' })).not.toBe(first);
  });
});
