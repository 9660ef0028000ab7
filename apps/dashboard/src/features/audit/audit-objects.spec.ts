import { describe, expect, it } from '@jest/globals';
import { MAX_TARGETS, objectName, targetsOf } from './audit-objects';

const OBJECTS = [
  { target: 'node/2', name: 'Germany' },
  { target: 'host/7', name: 'Germany TLS' },
  { target: 'core/2', name: 'Reality' },
];

describe(objectName.name, () => {
  it.each([
    ['user/ali', {}, 'ali'],
    ['node/9', { name: { after: 'Finland' } }, 'Finland'],
    ['node/2', { name: { before: 'Deutschland', after: 'Germany' } }, 'Germany'],
    ['host/8', { remark: { before: 'old' } }, 'old'],
    ['node/2', { port: { before: 1, after: 2 } }, 'Germany'],
    ['core/9', { name: { after: 5 } }, 'core/9'],
    ['users', {}, ''],
  ])('of %s with the change %j is "%s"', (target, difference, name) => {
    expect(objectName({ action: 'any.modify', target, difference }, OBJECTS)).toBe(name);
  });

  it('of a deleted history is the history', () => {
    expect(objectName({ action: 'usage.clear', target: 'node_usages', difference: {} }, [])).toBe('node_usages');
  });
});

describe(targetsOf.name, () => {
  it('a word are users and admins of this name, and what has the word in its name', () => {
    expect(targetsOf('dis1', OBJECTS)).toEqual(['user/dis1', 'admin/dis1']);
    expect(targetsOf('germ', OBJECTS)).toEqual(['user/germ', 'admin/germ', 'node/2', 'host/7']);
  });

  it('a number are the objects with this number too', () => {
    expect(targetsOf('2', OBJECTS)).toEqual([
      ...['user/2', 'admin/2', 'node/2', 'core/2', 'host/2', 'group/2', 'user_template/2', 'api_token/2'],
    ]);
  });

  it('a target is this target, and of nothing nothing', () => {
    expect(targetsOf('user/ali', OBJECTS)).toEqual(['user/ali']);
    expect(targetsOf('', OBJECTS)).toEqual([]);
  });

  it('a letter are only as many as are asked for', () => {
    const many = Array.from({ length: 50 }, (_, id) => ({ target: `host/${id}`, name: `a${id}` }));
    expect(targetsOf('a', many)).toHaveLength(MAX_TARGETS);
  });
});
