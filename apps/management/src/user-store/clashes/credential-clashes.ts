import type { EntityManager } from 'typeorm';
import { KEY_COLUMNS, keyColumns, type Protocol, protocolOf } from '../credentials/credential-columns.js';
import { storedProxySettings } from '../credentials/stored-proxy-settings.js';
import { findClashing, findHolders } from './claim-credentials.js';

/** Maximum number of users whose clashes the API shows. */
const MAX_SHOWN_USERS = 100;

/** The member of a user that is a credential for a protocol. */
export const CREDENTIAL_MEMBERS: Readonly<Record<Protocol, string>> = {
  vless: 'proxy_settings.vless.id',
  vmess: 'proxy_settings.vmess.id',
  trojan: 'proxy_settings.trojan.password',
  shadowsocks: 'proxy_settings.shadowsocks.password',
};

/** Two users whose stored credentials are the same for an engine. */
export interface CredentialClashView {
  /** The member that they have in common, such as `proxy_settings.vless.id`. */
  credential: string;
  /** The name of the older holder, whom nodes serve. */
  holder: string;
  /** The name of the other user, whom nodes do not serve with this credential. Revoking its subscription gives it new ones. */
  refused: string;
}

/** The users with credentials that older holders have, up to a maximum number. */
export async function credentialClashes(manager: EntityManager): Promise<CredentialClashView[]> {
  const rows = await findClashing(manager, MAX_SHOWN_USERS);
  if (rows.length === 0) return [];
  const wanted = rows.map(({ stored }) => keyColumns(storedProxySettings(stored)));
  const holders = await findHolders(manager, wanted);
  const found = rows.flatMap(({ id, clashes }, index) =>
    (clashes ?? []).flatMap((protocol) => {
      const columns = KEY_COLUMNS.filter((column) => protocolOf(column) === protocol);
      const holder = columns.map((column) => holders.of(column, wanted[index]![column])).find((user) => user);
      return holder === undefined ? [] : [{ protocol: protocol as Protocol, holder, refused: id }];
    }),
  );
  const names = await namesOf(
    manager,
    found.flatMap(({ holder, refused }) => [holder, refused]),
  );
  return found.map(({ protocol, holder, refused }) => ({
    credential: CREDENTIAL_MEMBERS[protocol],
    holder: names.get(holder) ?? '',
    refused: names.get(refused) ?? '',
  }));
}

async function namesOf(manager: EntityManager, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await manager.query<{ id: number; username: string }[]>(
    'SELECT id, username FROM users WHERE id = ANY ($1::integer[])',
    [ids],
  );
  return new Map(rows.map(({ id, username }) => [id, username]));
}
