import { describe, expect, it } from '@jest/globals';
import type { Template } from '../../api/types';
import { changedMembers } from '../../ui/form/use-save';
import { templateBody, templateValues } from './template-values';

const template = {
  id: 1,
  version: 'a',
  name: 'monthly',
  group_ids: [3],
  data_limit: 1_500_000_001,
  data_limit_reset_strategy: 'month',
  status: 'on_hold',
  expire_duration: 2_592_000,
  on_hold_timeout: 604_800,
  username_prefix: 'a-',
  username_suffix: null,
  extra_settings: { flow: '', method: 'aes-256-gcm' },
  reset_usages: true,
  is_disabled: false,
} satisfies Template;

describe('the form of a template', () => {
  it('the form of a new template becomes a body of 30 days without limits', () => {
    expect(templateBody({ ...templateValues(undefined), name: ' basic ', group_ids: ['1'] })).toEqual({
      name: 'basic',
      group_ids: [1],
      data_limit: 0,
      data_limit_reset_strategy: 'no_reset',
      status: 'active',
      expire_duration: 2_592_000,
      on_hold_timeout: null,
      username_prefix: null,
      username_suffix: null,
      extra_settings: null,
      reset_usages: false,
      is_disabled: false,
    });
  });

  it('the form of a stored template sends only what was changed in it, however its bytes are rounded', () => {
    const before = templateValues(template);
    const changes = (after: typeof before) => changedMembers(templateBody(before), templateBody(after));
    expect(before).toMatchObject({ data_limit: 1.397, expire_duration: 30, on_hold_timeout: 7, flow: 'none' });
    expect(changes(before)).toEqual({});
    expect(changes({ ...before, name: 'yearly', expire_duration: '' })).toEqual({ name: 'yearly', expire_duration: 0 });
    expect(changes({ ...before, flow: 'xtls-rprx-vision' })).toEqual({
      extra_settings: { flow: 'xtls-rprx-vision', method: 'aes-256-gcm' },
    });
    expect(changes({ ...before, method: '' })).toEqual({ extra_settings: null });
  });
});
