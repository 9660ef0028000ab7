import { wordsOf } from '../../ui/i18n/words';

/** What the log of changes knows, by the kind of object; `audit.actions` has the words. */
export const ACTIONS = {
  user: [
    ...['create', 'modify', 'delete', 'reset', 'revoke', 'set_owner', 'activate_next_plan', 'auto_delete'],
    ...['bulk_create', 'bulk_expire', 'bulk_data_limit', 'bulk_proxy_settings', 'bulk_reset', 'bulk_delete_expired'],
  ],
  node: [
    ...['create', 'enrol', 'enrol_again', 'modify', 'delete', 'reconnect', 'sync'],
    ...['bulk_enable', 'bulk_disable', 'bulk_reconnect', 'bulk_delete'],
  ],
  core: ['create', 'modify', 'restart', 'delete'],
  host: ['create', 'modify', 'delete', 'reorder', 'bulk_modify', 'probe'],
  group: ['create', 'modify', 'delete', 'announce', 'bulk_add', 'bulk_remove'],
  user_template: ['create', 'modify', 'delete'],
  admin: [
    ...['create', 'modify', 'delete', 'login', 'login_failed', 'reset', 'disable_users', 'activate_users'],
    ...['enrol_totp', 'confirm_totp', 'remove_totp', 'step_up'],
  ],
  api_token: ['create', 'delete', 'delete_all', 'read_secrets', 'refused'],
  session: ['end', 'end_all'],
  settings: ['modify'],
  usage: ['clear'],
  keys: ['forget'],
  backup: ['create', 'restore'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Kind = keyof typeof ACTIONS;
export const KINDS = Object.keys(ACTIONS) as Kind[];

/** An action in words; one that this version does not know is shown as the server calls it. */
export function actionWords(action: string): string {
  // Only a kind with a verb is one text: under a kind alone stand all of its actions.
  return (/^\w+\.\w+$/.test(action) && wordsOf(`audit.actions.${action}`)) || action;
}

/** Who has made a change, in words where it was no admin. */
export function actorWords({ actor, actor_id }: { actor: string; actor_id: number | null }): string {
  return (actor_id === null && wordsOf(`audit.actors.${actor.replace(/\W/g, '')}`)) || actor;
}
