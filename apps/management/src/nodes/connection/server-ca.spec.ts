import { describe, expect, it } from '@jest/globals';
import { fingerprintOf } from '@rampart/node-client';
import { AUTHORITY, LEAF } from '../testing/certificates.js';
import { certificateBlocks, serverCaProblem, trustOf } from './server-ca.js';

const FORMAT = 'Invalid certificate format - must contain PEM certificate blocks';

describe(serverCaProblem.name, () => {
  it.each([
    ['one certificate', LEAF],
    ['several', AUTHORITY + LEAF],
    ['with what a program printed around it', `subject=CN = node\nSHA-256 AB:CD\n${LEAF}\n`],
    ['with the line ends of Windows', LEAF.replaceAll('\n', '\r\n')],
  ])('accepts %s', (_, text) => {
    expect(serverCaProblem(text)).toBeUndefined();
  });

  it.each([
    ['nothing', '', FORMAT],
    ['no PEM', 'hello', FORMAT],
    ['a block without an end', LEAF.replace('-----END', '----END'), FORMAT],
    ['another kind of block', LEAF.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'), FORMAT],
    ['a certificate beside something else', LEAF + LEAF.replaceAll('CERTIFICATE', 'PUBLIC KEY'), FORMAT],
    [
      'a private key',
      LEAF + LEAF.replaceAll('CERTIFICATE', 'EC PRIVATE KEY'),
      'Invalid certificate format - a private key does not belong here, only certificates',
    ],
    [
      'a damaged certificate',
      LEAF + LEAF.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'),
      'Invalid certificate format - certificate 2 of 2 is damaged',
    ],
  ])('refuses %s', (_, text, problem) => {
    expect(serverCaProblem(text)).toBe(problem);
  });
});

describe(certificateBlocks.name, () => {
  it('keeps only the certificates', () => {
    expect(certificateBlocks(`first\n${AUTHORITY}between\n${LEAF}last`)).toBe(AUTHORITY + LEAF);
  });
});

describe(trustOf.name, () => {
  it("recognises a node by its own certificate's fingerprint", () => {
    expect(trustOf(LEAF)).toEqual({ fingerprint256: fingerprintOf(LEAF) });
  });

  it('trusts certificates signed by an authority, or by one of several', () => {
    expect(trustOf(AUTHORITY)).toEqual({ ca: AUTHORITY });
    expect(trustOf(AUTHORITY + LEAF)).toEqual({ ca: AUTHORITY + LEAF });
  });
});
