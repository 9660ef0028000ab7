import type { Template, TemplateCreate } from '../../api/types';
import { type Amount, bytesOf, daysOf, gibibytesOf, secondsOf } from '../../ui/form/units';

/** The values of the form, under the names of the API where it has them, in the units that people use. */
export interface TemplateValues {
  name: string;
  group_ids: string[];
  /** GiB; empty: unlimited. */
  data_limit: Amount;
  data_limit_reset_strategy: Template['data_limit_reset_strategy'];
  status: Template['status'];
  /** Days; empty: without an end. */
  expire_duration: Amount;
  /** Days after which a hold ends by itself; empty: never. */
  on_hold_timeout: Amount;
  username_prefix: string;
  username_suffix: string;
  /** Members of `extra_settings`; an empty method is the default of the settings. */
  flow: 'none' | 'xtls-rprx-vision';
  method: '' | NonNullable<NonNullable<Template['extra_settings']>['method']>;
  reset_usages: boolean;
  is_disabled: boolean;
}

export const templateValues = (template: Template | undefined): TemplateValues => ({
  name: template?.name ?? '',
  group_ids: template?.group_ids.map(String) ?? [],
  data_limit: gibibytesOf(template?.data_limit ?? 0),
  data_limit_reset_strategy: template?.data_limit_reset_strategy ?? 'no_reset',
  status: template?.status ?? 'active',
  expire_duration: template ? daysOf(template.expire_duration) : 30,
  on_hold_timeout: daysOf(template?.on_hold_timeout ?? 0),
  username_prefix: template?.username_prefix ?? '',
  username_suffix: template?.username_suffix ?? '',
  flow: template?.extra_settings?.flow === 'xtls-rprx-vision' ? 'xtls-rprx-vision' : 'none',
  method: template?.extra_settings?.method ?? '',
  reset_usages: template?.reset_usages ?? false,
  is_disabled: template?.is_disabled ?? false,
});

/** The body that creates a template, or of which the changed members change one. */
export const templateBody = ({ flow, method, ...values }: TemplateValues): TemplateCreate => ({
  ...values,
  name: values.name.trim(),
  group_ids: values.group_ids.map(Number),
  data_limit: bytesOf(values.data_limit),
  expire_duration: secondsOf(values.expire_duration),
  on_hold_timeout: secondsOf(values.on_hold_timeout) || null,
  username_prefix: values.username_prefix.trim() || null,
  username_suffix: values.username_suffix.trim() || null,
  // Without settings of its own a template has none at all; with one, null leaves the method as it is.
  extra_settings: flow === 'none' && method === '' ? null : { flow, method: method || null },
});
