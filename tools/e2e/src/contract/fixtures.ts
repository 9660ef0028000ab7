import { randomUUID } from 'node:crypto';
import type { Api } from '@rampart/testing';
import { environment } from './environment.js';

export interface Group {
  readonly id: number;
  readonly name: string;
  readonly inbound_tags: readonly string[];
  readonly is_disabled: boolean;
  readonly total_users: number;
}
export interface Host extends Record<string, unknown> {
  readonly id: number;
}
export interface Template extends Record<string, unknown> {
  readonly id: number;
  readonly name: string;
}
export interface User {
  readonly id: number;
  readonly username: string;
  readonly status: string;
  readonly note: string | null;
  readonly group_ids: number[];
  readonly data_limit: number;
  readonly used_traffic: number;
  readonly data_limit_reset_strategy: string;
  readonly expire: string | 0;
  readonly on_hold_expire_duration: number | null;
  readonly on_hold_timeout: string | null;
  readonly created_at: string;
  readonly subscription_url: string;
  readonly admin: { readonly username: string };
  readonly proxy_settings: {
    readonly vless: { readonly id: string; readonly flow: string };
    readonly vmess: { readonly id: string };
    readonly trojan: { readonly password: string };
    readonly shadowsocks: { readonly password: string; readonly method: string };
  };
}

type Rest = Readonly<Record<string, unknown>>;

/** Returns a unique name of 32 lowercase letters and digits, valid for every kind of resource. */
export const freshName = (): string => randomUUID().replaceAll('-', '');

export const createGroup = (...inboundTags: readonly string[]): Promise<Group> =>
  environment.sudo.create('/api/group', { name: freshName(), inbound_tags: inboundTags });

export const createTemplate = (groups: readonly Group[], rest: Rest = {}): Promise<Template> =>
  environment.sudo.create('/api/user_template', { name: freshName(), group_ids: groups.map(({ id }) => id), ...rest });

export const createHost = (inboundTag: string, rest: Rest = {}): Promise<Host> =>
  environment.sudo.create('/api/host', {
    remark: 'a host',
    inbound_tag: inboundTag,
    priority: 1,
    address: ['host.example'],
    ...rest,
  });

export const createUser = (groups: readonly Group[], rest: Rest = {}, by: Api = environment.sudo): Promise<User> =>
  by.create('/api/user', {
    username: freshName(),
    ...(groups.length > 0 && { group_ids: groups.map(({ id }) => id) }),
    ...rest,
  });

export const readUser = (username: string): Promise<User> => environment.sudo.get(`/api/user/${username}`);

/** Creates a user from a template. */
export const userFromTemplate = (template: Template, rest: Rest = {}): Promise<User> =>
  environment.sudo.create('/api/user/from_template', { user_template_id: template.id, username: freshName(), ...rest });

/** Deletes all hosts except this one. */
export async function removeOtherHosts(kept: Host): Promise<void> {
  const made = (await environment.sudo.get<Host[]>('/api/hosts')).filter(({ id }) => id !== kept.id);
  await Promise.all(made.map(({ id }) => environment.sudo.remove(`/api/host/${id}`)));
}
