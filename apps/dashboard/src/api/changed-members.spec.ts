import { describe, expect, it } from '@jest/globals';
import { changedMembers } from './changed-members';

const changed = { before: 1, after: 2 };

describe('changedMembers', () => {
  it('changedMembers of an edit are the members that somebody has changed, each once', () => {
    const difference = { data_limit: changed, expire: { before: null, after: 5 }, edit_at: changed };
    expect(changedMembers({ action: 'user.modify', difference })).toEqual(['data_limit', 'expire']);
    const config = { 'config.inbounds.0.port': changed, 'config.inbounds.1.tag': changed, 'config.log': { after: {} } };
    expect(changedMembers({ action: 'core.modify', difference: config })).toEqual(['config.inbounds', 'config.log']);
  });

  it('changedMembers of an edit that only adds a member is this member', () => {
    expect(changedMembers({ action: 'core.modify', difference: { 'config.dns': { after: {} } } })).toEqual([
      'config.dns',
    ]);
  });

  it('changedMembers of what came or went as a whole, and of a change of many users, are none', () => {
    const whole = (side: 'before' | 'after') => ({ name: { [side]: 'ali' }, note: { [side]: '' } });
    expect(changedMembers({ action: 'user.create', difference: whole('after') })).toEqual([]);
    expect(changedMembers({ action: 'user.delete', difference: whole('before') })).toEqual([]);
    expect(changedMembers({ action: 'user.bulk_expire', difference: { affected_users: { after: 9 } } })).toEqual([]);
    expect(changedMembers({ action: 'core.restart', difference: {} })).toEqual([]);
  });

  it('changedMembers of an action with another name are told by what was before and is after', () => {
    expect(changedMembers({ action: 'host.reorder', difference: { hosts: changed } })).toEqual(['hosts']);
  });
});
