import { describe, expect, it } from '@jest/globals';
import { parseCoreConfig } from '@rampart/core-config';
import { DEFAULT_CORE } from './default-core.js';

describe('the core of a new installation', () => {
  it('security row 131: takes no UDP, and is warned of for its connections alone', () => {
    const { inbounds, warnings } = parseCoreConfig(DEFAULT_CORE.config);
    expect(inbounds).toMatchObject([
      { tag: 'Shadowsocks TCP', port: { ranges: [{ from: 1080, to: 1080 }] }, udp: false },
    ]);
    expect(warnings).toMatchObject([
      { code: 'shadowsocks_trial', message: expect.stringContaining('by some hundred connections in a second') },
    ]);
  });
});
