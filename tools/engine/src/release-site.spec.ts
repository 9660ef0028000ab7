import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sumInDgst, sumInRelease } from './release-site.js';

const sum = '667c0ccd21d70060de0c16a1d5779b8c42584f9d333a0b72d9f33aac0b828f2d';
const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });

describe(sumInDgst.name, () => {
  it.each([
    ['OpenSSL 3', `MD5= c399bf65\nSHA1= 8d9c05ac\nSHA2-256= ${sum}\nSHA2-512= af943854\n`],
    ['OpenSSL 1', `MD5= c399bf65\nSHA256= ${sum}\r\nSHA512= af943854\n`],
    ['capitals', `SHA2-256= ${sum.toUpperCase()}`],
  ])('reads the format of %s', (_form, text) => {
    expect(sumInDgst(text)).toBe(sum);
  });

  it.each([
    ['no sum', 'MD5= c399bf65\n'],
    ['a short one', `SHA2-256= ${sum.slice(1)}\n`],
    ['a long one', `SHA2-256= ${sum}0\n`],
    ['a web page', '<html>SHA2-256=</html>'],
  ])('finds nothing in %s', (_name, text) => {
    expect(sumInDgst(text)).toBeUndefined();
  });

  it('never confuses two algorithms', () => {
    fc.assert(
      fc.property(hex(32), hex(40), hex(64), hex(128), (md5, sha1, sha256, sha512) => {
        const lines = [`MD5= ${md5}`, `SHA1= ${sha1}`, `SHA2-256= ${sha256}`, `SHA2-512= ${sha512}`];
        expect(sumInDgst(lines.join('\n'))).toBe(sha256);
        expect(sumInDgst([...lines].reverse().join('\n'))).toBe(sha256);
      }),
    );
  });
});

describe(sumInRelease.name, () => {
  const release = (...assets: unknown[]) => JSON.stringify({ tag_name: 'v1', assets });

  it('reads the digest of the asset with the given name', () => {
    const text = release(
      { name: 'b.gz', digest: `sha256:${'0'.repeat(64)}` },
      { name: 'a.gz', digest: `sha256:${sum}` },
    );
    expect(sumInRelease(text, 'a.gz')).toBe(sum);
  });

  it.each([
    ['an asset without digest', release({ name: 'a.gz', digest: null })],
    ['another algorithm', release({ name: 'a.gz', digest: `sha512:${sum}${sum}` })],
    ['another asset', release({ name: 'a.gz.sig', digest: `sha256:${sum}` })],
    ['no assets', JSON.stringify({ message: 'Not Found' })],
    ['assets that are none', JSON.stringify({ assets: [null, 3] })],
    ['something that is not JSON', '<html>'],
    ['null', 'null'],
  ])('finds nothing in %s', (_name, text) => {
    expect(sumInRelease(text, 'a.gz')).toBeUndefined();
  });
});
