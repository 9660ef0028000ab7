import type { Host, HostCreate } from '../../api/types';

/** The settings of a host that the form shows, under the names of the API; lists are joined with commas. */
export interface HostValues {
  remark: string;
  inbound_tag: string | null;
  address: string[];
  port: number | string;
  is_disabled: boolean;
  security: Host['security'];
  sni: string[];
  host: string[];
  path: string;
  alpn: string[];
  fingerprint: Host['fingerprint'];
  allowinsecure: boolean;
}

export const hostValues = (host: Host | undefined): HostValues => ({
  remark: host?.remark ?? '{USERNAME}',
  inbound_tag: host?.inbound_tag ?? null,
  address: host?.address ?? [],
  port: host?.port ?? '',
  is_disabled: host?.is_disabled ?? false,
  security: host?.security ?? 'inbound_default',
  sni: host?.sni ?? [],
  host: host?.host ?? [],
  path: host?.path ?? '',
  alpn: host?.alpn ?? [],
  fingerprint: host?.fingerprint ?? 'none',
  allowinsecure: host?.allowinsecure ?? false,
});

/** The body that stores a host. What the form does not show stays as it was, because the API replaces a host as a whole. */
export const hostBody = (before: Host | undefined, values: HostValues, priority: number): HostCreate =>
  ({
    ...before,
    ...values,
    inbound_tag: values.inbound_tag ?? '',
    port: values.port === '' ? null : Number(values.port),
    path: values.path || null,
    priority: before?.priority ?? priority,
  }) as HostCreate;
