import { describe, expect, it } from '@jest/globals';
import { apiKeyProblem } from './api-key.js';

describe(apiKeyProblem.name, () => {
  it.each(['0123456789abcdef', 'k'.repeat(256), 'd04d8680-942d-4365-992f-9f482275691d', '!"#$%&()*+,-./:;'])(
    'takes %s',
    (key) => expect(apiKeyProblem(key)).toBeUndefined(),
  );

  it.each([
    ['', 'must have 16 to 256 characters, has 0'],
    ['k'.repeat(15), 'must have 16 to 256 characters, has 15'],
    ['k'.repeat(257), 'must have 16 to 256 characters, has 257'],
    ['sixteen letters !', 'must be printable ASCII without spaces'],
    ['0123456789abcdé0', 'must be printable ASCII without spaces'],
    ['0123456789abcdef\n', 'must be printable ASCII without spaces'],
    ['00000000-0000-0000-0000-000000000000', 'must not be the all-zero UUID'],
    ['00000000000000000000000000000000', 'must not be the all-zero UUID'],
    ['{00000000-0000-0000-0000-000000000000}', 'must not be the all-zero UUID'],
    ['urn:uuid:00000000-0000-0000-0000-000000000000', 'must not be the all-zero UUID'],
  ])('refuses %j', (key, problem) => expect(apiKeyProblem(key)).toBe(problem));
});
