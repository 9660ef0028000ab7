import { expect } from 'expect';
import { bind } from 'jest-each';

/**
 * Loads spec files, and returns the tests that they declare.
 * @param load is given what the spec files import from `@jest/globals`
 */
export function collectTests(load) {
  const tests = [];
  const titles = [];
  const describe = (title, body) => {
    titles.push(nameOf(title));
    try {
      body();
    } finally {
      titles.pop();
    }
  };
  const it = (title, body) => tests.push({ id: [...titles, nameOf(title)].join(' '), body });
  describe.each = bind(describe, false);
  it.each = bind(it, false);
  load({ describe, expect, it });
  return tests;
}

/** A part may be named by the function or class that it is about. */
const nameOf = (title) => (typeof title === 'function' ? title.name : String(title));
