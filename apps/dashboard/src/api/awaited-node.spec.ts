import { describe, expect, it } from '@jest/globals';
import { isAwaited } from './awaited-node';

describe(isAwaited.name, () => {
  it.each([
    ['error', 'UNREACHABLE', null, true],
    ['error', 'TIMEOUT', null, true],
    ['connecting', null, null, true],
    ['disabled', null, null, false],
    ['error', 'CORE_REFUSED', null, false],
    ['error', 'START_FAILED', null, false],
    ['error', 'UNAUTHENTICATED', null, false],
    ['error', null, null, false],
    ['error', 'UNREACHABLE', '0.5.0', false],
    ['connecting', null, '0.5.0', false],
  ] as const)(
    'of a node that is %s by %s and told the version %s is %s',
    (status, message_code, node_version, expected) => {
      expect(isAwaited({ status, message_code, node_version })).toBe(expected);
    },
  );
});
