import { mergeExtraSettings } from '@rampart/domain';
import { withVersion } from '../http/version.js';
import { storedExtraSettings } from '../user-store/credentials/stored-extra-settings.js';
import type { UserTemplateCreate, UserTemplateModify, UserTemplateView } from './user-template.dto.js';
import type { UserTemplate } from './user-template.entity.js';

const DEFAULTS: Omit<UserTemplate, 'id' | 'name'> = {
  dataLimit: 0,
  expireDuration: 0,
  usernamePrefix: null,
  usernameSuffix: null,
  extraSettings: null,
  status: 'active',
  resetUsages: false,
  onHoldTimeout: null,
  dataLimitResetStrategy: 'no_reset',
  isDisabled: false,
};

/** The columns of a new template; what the request leaves out has its default. */
export function newColumns(request: UserTemplateCreate): Omit<UserTemplate, 'id'> {
  return changedColumns({ ...DEFAULTS, name: request.name }, request);
}

/** The columns after a modification: absent is unchanged, null clears what may be empty. */
export function changedColumns(
  stored: Omit<UserTemplate, 'id'>,
  request: UserTemplateModify,
): Omit<UserTemplate, 'id'> {
  const { username_prefix, username_suffix, extra_settings, on_hold_timeout } = request;
  return {
    name: request.name ?? stored.name,
    dataLimit: request.data_limit ?? stored.dataLimit,
    expireDuration: request.expire_duration ?? stored.expireDuration,
    usernamePrefix: username_prefix === undefined ? stored.usernamePrefix : username_prefix || null,
    usernameSuffix: username_suffix === undefined ? stored.usernameSuffix : username_suffix || null,
    extraSettings:
      extra_settings === undefined
        ? stored.extraSettings
        : extra_settings && mergeExtraSettings(extra_settings, storedExtraSettings(stored.extraSettings)),
    status: request.status ?? stored.status,
    resetUsages: request.reset_usages ?? stored.resetUsages,
    onHoldTimeout: on_hold_timeout === undefined ? stored.onHoldTimeout : on_hold_timeout || null,
    dataLimitResetStrategy: request.data_limit_reset_strategy ?? stored.dataLimitResetStrategy,
    isDisabled: request.is_disabled ?? stored.isDisabled,
  };
}

/** A template as the API shows it. */
export function userTemplateView(template: UserTemplate, groupIds: readonly number[]): UserTemplateView {
  return withVersion({
    name: template.name,
    data_limit: template.dataLimit,
    expire_duration: template.expireDuration,
    username_prefix: template.usernamePrefix,
    username_suffix: template.usernameSuffix,
    group_ids: [...groupIds],
    extra_settings: storedExtraSettings(template.extraSettings),
    status: template.status,
    reset_usages: template.resetUsages,
    on_hold_timeout: template.onHoldTimeout,
    data_limit_reset_strategy: template.dataLimitResetStrategy,
    is_disabled: template.isDisabled,
    id: template.id,
  });
}
