import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { selfSigned } from '../testing/certificates.js';
import { fingerprintOf, parseFingerprint } from './fingerprint.js';

const EMPTY = 'E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55';

describe(fingerprintOf.name, () => {
  it('is the SHA-256 of the DER bytes', () => expect(fingerprintOf(new Uint8Array())).toBe(EMPTY));

  it('reads PEM', async () => {
    const { cert } = await selfSigned({ names: ['localhost'] });
    const der = Buffer.from(cert.replace(/-----[^-]+-----|\s/g, ''), 'base64');
    expect(fingerprintOf(cert)).toBe(fingerprintOf(der));
  });
});

describe(parseFingerprint.name, () => {
  const hex = EMPTY.replaceAll(':', '');

  it.each([EMPTY, hex, hex.toLowerCase(), `sha256:${hex}`, `SHA256=${EMPTY}`, ` ${EMPTY.replaceAll(':', ' ')}\n`])(
    'reads %j',
    (text) => expect(parseFingerprint(text)).toBe(EMPTY),
  );

  it.each(['', 'AB:CD', `${hex}00`, hex.slice(1), hex.replace('E', 'G')])('refuses %j', (text) =>
    expect(parseFingerprint(text)).toBeUndefined(),
  );

  it('reads back what fingerprintOf writes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(parseFingerprint(fingerprintOf(bytes))).toBe(fingerprintOf(bytes));
      }),
    );
  });
});
