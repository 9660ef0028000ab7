import { createPrivateKey } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { keyPairProblem } from './key-pair.js';
import { type TestPair, testPair } from './testing/certificate.js';

let pair: TestPair;
beforeAll(async () => {
  pair = await testPair();
});

describe(keyPairProblem, () => {
  it('keyPairProblem accepts a key in any form, also under the label of another', () => {
    const sec1 = createPrivateKey(pair.key).export({ type: 'sec1', format: 'pem' }).toString();
    const forms = [pair.key, pair.key.replaceAll(' PRIVATE KEY', ' RSA PRIVATE KEY'), sec1];
    expect(forms.map((key) => keyPairProblem(pair.certificate, key))).toEqual([undefined, undefined, undefined]);
  });

  it('keyPairProblem names what is wrong with a certificate or a key', async () => {
    const other = await testPair();
    expect(keyPairProblem('x', pair.key)).toBe('the certificate is not one in PEM form');
    expect(keyPairProblem(pair.certificate, 'x')).toBe('the key is not an unencrypted private key in PEM form');
    expect(keyPairProblem(pair.certificate, other.key)).toBe('the private key is not the one of the certificate');
  });
});
