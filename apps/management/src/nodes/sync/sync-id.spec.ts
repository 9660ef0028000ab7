import { expect, it } from '@jest/globals';
import { SyncId } from './sync-id.js';

const OWN = /^sync-[0-9a-f]{16}$/;

it('a step that one request has caused has the id of that request, and every other step one of its own', () => {
  const id = new SyncId();
  const step = (...causes: (string | undefined)[]): string => {
    for (const cause of causes) id.addCause(cause);
    id.beginStep();
    return id.current;
  };
  expect(id.current).toMatch(OWN);
  expect(step('a')).toBe('a');
  expect(step('a', 'a')).toBe('a');
  const others = [step(), step('a', 'b'), step('a', undefined), step(undefined)];
  for (const other of others) expect(other).toMatch(OWN);
  expect(new Set(others).size).toBe(4);
});
