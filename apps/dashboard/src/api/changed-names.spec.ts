import { describe, expect, it } from '@jest/globals';
import { changedNames } from './changed-names';

const changed = { before: 1, after: 2 };

describe(changedNames.name, () => {
  it('of an edit are the members that somebody has changed, each once', () => {
    const difference = { data_limit: changed, expire: { before: null, after: 5 }, edit_at: changed };
    expect(changedNames({ action: 'user.modify', difference })).toEqual(['data_limit', 'expire']);
    const config = { 'config.inbounds.0.port': changed, 'config.inbounds.1.tag': changed, 'config.log': { after: {} } };
    expect(changedNames({ action: 'core.modify', difference: config })).toEqual(['config.inbounds', 'config.log']);
  });

  it('of an edit that only adds a member is this member', () => {
    expect(changedNames({ action: 'core.modify', difference: { 'config.dns': { after: {} } } })).toEqual([
      'config.dns',
    ]);
  });

  it('of what came or went as a whole, and of a change of many users, are none', () => {
    const whole = (side: 'before' | 'after') => ({ name: { [side]: 'ali' }, note: { [side]: '' } });
    expect(changedNames({ action: 'user.create', difference: whole('after') })).toEqual([]);
    expect(changedNames({ action: 'user.delete', difference: whole('before') })).toEqual([]);
    expect(changedNames({ action: 'user.bulk_expire', difference: { affected_users: { after: 9 } } })).toEqual([]);
    expect(changedNames({ action: 'core.restart', difference: {} })).toEqual([]);
  });

  it('of an action with another name are told by what was before and is after', () => {
    expect(changedNames({ action: 'host.reorder', difference: { hosts: changed } })).toEqual(['hosts']);
  });
});
