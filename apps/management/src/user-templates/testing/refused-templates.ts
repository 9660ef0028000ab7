const DAY = 86_400;
const BYTES = 'Input should be an integer from 0 to 9007199254740991';
const SECONDS = 'Input should be an integer from 0 to 3155760000';
export const NO_DURATION = 'User cannot be on hold without a valid on_hold_expire_duration';

/** What creation and modification refuse alike. */
export const REFUSED_TEMPLATES: [object, object][] = [
  [{ name: '' }, { name: "name can't be empty" }],
  [{ name: 'x'.repeat(65) }, { name: 'Input should have at most 64 characters' }],
  [{ name: '⌛️'.repeat(33) }, { name: 'Input should have at most 64 characters' }],
  [{ name: 5 }, { name: 'Input should be a string' }],
  [{ group_ids: ['1'] }, { group_ids: 'Input should be a list of ids' }],
  [{ group_ids: 1 }, { group_ids: 'Input should be a list of ids' }],
  [{ group_ids: [0] }, { group_ids: 'Input should be a list of ids' }],
  [{ group_ids: [2 ** 31] }, { group_ids: 'Input should be a list of ids' }],
  [{ data_limit: -1 }, { data_limit: BYTES }],
  [{ data_limit: 2 ** 53 }, { data_limit: BYTES }],
  [{ data_limit: 1.5 }, { data_limit: BYTES }],
  [{ expire_duration: -1 }, { expire_duration: SECONDS }],
  [{ expire_duration: 3_155_760_001 }, { expire_duration: SECONDS }],
  [{ on_hold_timeout: -1 }, { on_hold_timeout: SECONDS }],
  [{ username_prefix: 'x'.repeat(21) }, { username_prefix: 'Input should have at most 20 characters' }],
  [{ username_suffix: 'x'.repeat(21) }, { username_suffix: 'Input should have at most 20 characters' }],
  [{ username_prefix: 5 }, { username_prefix: 'Input should be a string' }],
  [{ status: 'disabled' }, { status: "Input should be one of 'active', 'on_hold'" }],
  [{ status: 'on_hold' }, { status: NO_DURATION }],
  [{ status: 'on_hold', expire_duration: DAY }, { status: NO_DURATION }],
  [{ status: 'on_hold', expire_duration: DAY, on_hold_timeout: 0 }, { status: NO_DURATION }],
  [{ status: 'on_hold', expire_duration: 0, on_hold_timeout: DAY }, { status: NO_DURATION }],
  [{ is_disabled: 'no' }, { is_disabled: 'Input should be true or false' }],
  [{ reset_usages: 1 }, { reset_usages: 'Input should be true or false' }],
  [
    { data_limit_reset_strategy: 'hour' },
    { data_limit_reset_strategy: "Input should be one of 'no_reset', 'day', 'week', 'month', 'year'" },
  ],
  [{ extra_settings: 'none' }, { extra_settings: 'Input should be an object' }],
  [
    { extra_settings: { flow: 'fast' } },
    { 'extra_settings.flow': "Input should be one of 'none', '', 'xtls-rprx-vision'" },
  ],
  [
    { extra_settings: { method: 'rc4' } },
    {
      'extra_settings.method':
        "Input should be one of 'chacha20-ietf-poly1305', 'xchacha20-poly1305', 'aes-128-gcm', 'aes-256-gcm'",
    },
  ],
];
