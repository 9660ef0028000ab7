import { describe, expect, it } from '@jest/globals';
import { groupNameProblem } from './group-name.js';

describe(groupNameProblem, () => {
  it.each(['abc', '123', 'vip2', 'a'.repeat(64)])('groupNameProblem accepts %s', (name) => {
    expect(groupNameProblem(name)).toBeUndefined();
    expect(groupNameProblem(name, 'modify')).toBeUndefined();
  });

  it.each(['', 'ab', 'a'.repeat(65)])('groupNameProblem refuses %j for its length', (name) => {
    expect(groupNameProblem(name)).toBe('Name must be 3-64 characters');
    expect(groupNameProblem(name, 'modify')).toBe('Name must be 3-64 characters');
  });

  it.each(['Abc', 'a b', 'گروه', 'abc\n'])('groupNameProblem refuses %j for its characters', (name) => {
    expect(groupNameProblem(name)).toBe('Name can only contain a-z and 0-9');
    expect(groupNameProblem(name, 'modify')).toBe('Name can only contain a-z, 0-9, - and _');
  });

  it('groupNameProblem accepts hyphen and underscore on modification only', () => {
    expect(groupNameProblem('vip-1_a')).toBe('Name can only contain a-z and 0-9');
    expect(groupNameProblem('vip-1_a', 'modify')).toBeUndefined();
  });
});
