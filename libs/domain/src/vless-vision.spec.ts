import { describe, expect, it } from '@jest/globals';
import { type VisionInbound, visionWorks } from './vless-vision.js';

const raw: VisionInbound = { encryption: 'none', network: 'tcp', headerType: '', security: 'reality' };

describe(visionWorks, () => {
  it.each<[string, Partial<VisionInbound>, boolean]>([
    ['raw reality', {}, true],
    ['raw tls', { security: 'tls' }, true],
    ['raw without security', { security: 'none' }, false],
    ['raw tls with the http header', { security: 'tls', headerType: 'http' }, false],
    ['xhttp reality', { network: 'xhttp' }, false],
    ['ws tls', { network: 'ws', security: 'tls' }, false],
    ['raw below encryption', { security: 'none', encryption: 'mlkem768x25519plus.native.0rtt.x' }, true],
    ['xhttp below encryption', { network: 'xhttp', encryption: 'mlkem768x25519plus.native.0rtt.x' }, true],
  ])('visionWorks tells whether the flow works: %s', (_, change, expected) => {
    expect(visionWorks({ ...raw, ...change })).toBe(expected);
  });
});
