import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error';

describe('ApiError.from', () => {
  it.each([
    ['Failed to fetch dynamically imported module: http://a/x.js', 'MISSING_PART'],
    ['Importing a module script failed.', 'MISSING_PART'],
    ['error loading dynamically imported module: http://a/x.js', 'MISSING_PART'],
    ["Cannot read properties of undefined (reading 'id')", 'UNKNOWN'],
  ])('the error "%s" has the code %s', (message, code) => {
    expect(ApiError.from(new TypeError(message))).toMatchObject({ status: 0, code, message });
  });
});
