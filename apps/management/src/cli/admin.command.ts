import { formatByteSize } from '@rampart/domain';
import { type Command, type CommandAnswer, printing, textTable } from '@rampart/program';
import type { AdminView } from '../admins/admin.dto.js';
import type { CreatedApiTokenView } from '../api-tokens/api-token.dto.js';
import { type GlobalOptions, managementOf } from './global-options.js';
import { readPassword } from './read-password.js';

const PASSWORD = `The password is read from RAMPART_ADMIN_PASSWORD if RAMPART_ADMIN_USERNAME is not set, else from standard input.`;

export function addAdminCommands(root: Command): void {
  const admin = root.command('admin').description('admins, who use the API and the dashboard');
  admin
    .command('create <username>')
    .description(`create an admin. ${PASSWORD}`)
    .summary('create an admin')
    .option('--sudo', 'give the admin all rights; other admins reach only their own users')
    .action(printing(createAdmin));
  admin
    .command('password <username>')
    .description(`change a password. This ends all logins of the admin, and the wait after failed logins. ${PASSWORD}`)
    .summary('change a password, which ends all logins of the admin')
    .action(printing(changePassword));
  admin.command('list').description('list the admins').action(printing(listAdmins));
  admin
    .command('disable <username>')
    .description('refuse logins and tokens of an admin; its users are still served')
    .action(printing((username: string, options: GlobalOptions) => setDisabled(username, true, options)));
  admin
    .command('enable <username>')
    .description('accept logins and tokens of a disabled admin again')
    .action(printing((username: string, options: GlobalOptions) => setDisabled(username, false, options)));
  admin
    .command('totp-reset <username>')
    .description('remove the second factor of an admin who has lost the app and the recovery codes')
    .action(printing(resetTotp));
  admin
    .command('token <username>')
    .description('create an API token for an admin and print it; nothing shows it again')
    .requiredOption('--name <purpose>', 'what the token is for')
    .option('--scope <scope>', 'read (every GET), users (everything about users) or all', 'all')
    .option(
      '--grant <grant...>',
      'what the token may do beside its scope: identity (admins, factors, tokens, connections of nodes), secrets',
    )
    .option('--expires <moment>', 'end of the token, such as 2027-01-31 or 2027-01-31T12:00:00Z; by default in 90 days')
    .option('--network <network...>', 'networks from which the token may be used, such as 192.0.2.0/24; by default any')
    .action(printing(createToken));
}

async function createAdmin(username: string, options: GlobalOptions & { sudo?: true }): Promise<CommandAnswer> {
  const isSudo = options.sudo ?? false;
  const management = managementOf(options);
  const password = await readNewPassword();
  const created = await management.call<AdminView>('POST', '/api/admin', { username, password, is_sudo: isSudo });
  return { text: `Created the ${isSudo ? 'sudo admin' : 'admin'} ${username}`, json: created };
}

async function changePassword(username: string, options: GlobalOptions): Promise<CommandAnswer> {
  const management = managementOf(options);
  const password = await readNewPassword();
  const changed = await management.call<AdminView>('PUT', pathOf(username), { password });
  return { text: `Changed the password of ${username}`, json: changed };
}

async function listAdmins(options: GlobalOptions): Promise<CommandAnswer> {
  const admins = await managementOf(options).call<AdminView[]>('GET', '/api/admins?sort=username');
  const rows = admins.map(({ username, is_sudo, is_disabled, total_users, used_traffic }) => [
    username,
    is_sudo ? 'sudo' : 'admin',
    is_disabled ? 'disabled' : 'enabled',
    `${total_users}`,
    formatByteSize(used_traffic),
  ]);
  return { text: textTable(['USERNAME', 'LEVEL', 'STATE', 'USERS', 'TRAFFIC'], rows), json: admins };
}

async function setDisabled(username: string, isDisabled: boolean, options: GlobalOptions): Promise<CommandAnswer> {
  const json = await managementOf(options).call<AdminView>('PUT', pathOf(username), { is_disabled: isDisabled });
  return { text: `${isDisabled ? 'Disabled' : 'Enabled'} the admin ${username}`, json };
}

async function resetTotp(username: string, options: GlobalOptions): Promise<CommandAnswer> {
  await managementOf(options).call('DELETE', `${pathOf(username)}/totp`);
  return { text: `Removed the second factor of ${username}`, json: {} };
}

/** How long a token is valid by default. */
const TOKEN_MS = 90 * 86_400_000;

async function createToken(
  username: string,
  options: GlobalOptions & { name: string; scope: string; grant?: string[]; expires?: string; network?: string[] },
): Promise<CommandAnswer> {
  const { name, scope, grant: grants, network: networks } = options;
  const body = {
    admin_username: username,
    name,
    scope,
    expires_at: options.expires ?? new Date(Date.now() + TOKEN_MS).toISOString(),
    ...(grants && { grants }),
    ...(networks && { allowed_networks: networks }),
  };
  const json = await managementOf(options).call<CreatedApiTokenView>('POST', '/api/admin/tokens', body);
  return { text: json.token, json };
}

async function readNewPassword(): Promise<string> {
  const { readCommandPassword } = await import('../env/management-env.js');
  return readCommandPassword(readPassword);
}

const pathOf = (username: string): string => `/api/admin/${encodeURIComponent(username)}`;
