import { formatByteSize, USER_STATUSES } from '@rampart/domain';
import {
  type Command,
  type CommandAnswer,
  OperatorError,
  printable,
  printing,
  textList,
  textTable,
} from '@rampart/program';
import type { AdminView } from '../admins/admin.dto.js';
import type { UserView } from '../users/view/user.dto.js';
import { type GlobalOptions, managementOf } from './global-options.js';
import type { ManagementClient } from './management-client.js';
import { end, positiveInteger, trafficLimit } from './option-values.js';

const DEFAULT_PAGE = 100;

export function addUserCommands(root: Command): void {
  const user = root.command('user').description('users of the proxy');
  user
    .command('add <username>')
    .description('create a user and print its subscription URL')
    .option('--group <name...>', 'groups of the user, by name or id')
    .option('--limit <size>', 'traffic that the user may use, such as 50GB; by default unlimited', trafficLimit)
    .option('--expire <moment>', 'end of the user, such as 2027-01-31 or 2027-01-31T12:00:00Z; by default never', end)
    .option('--note <text>', 'note for operators')
    .option('--admin <username>', 'admin to whom the user belongs; by default none')
    .action(printing(addUser));
  user
    .command('modify <username>')
    .description('change what is given of a user; the rest stays')
    .option('--group <name...>', 'groups of the user instead of those it has, by name or id')
    .option('--limit <size>', 'traffic that the user may use, such as 50GB, or unlimited', trafficLimit)
    .option('--expire <moment>', 'end of the user, such as 2027-01-31 or 2027-01-31T12:00:00Z, or never', end)
    .option('--note <text>', 'note for operators; an empty one removes it')
    .action(printing(modifyUser));
  user
    .command('disable <username>')
    .description('end the connections of a user and refuse new ones; nothing of the user is lost')
    .action(printing((username: string, options: GlobalOptions) => setStatus(username, 'disabled', options)));
  user
    .command('enable <username>')
    .description('let a disabled user connect again, within its limit and time')
    .action(printing((username: string, options: GlobalOptions) => setStatus(username, 'active', options)));
  user.command('reset <username>').description('set the used traffic of a user to 0').action(printing(resetUser));
  user
    .command('remove <username>')
    .description('delete a user, whose links and traffic are then gone')
    .action(printing(removeUser));
  user
    .command('list')
    .description('list users, newest last')
    .option('--search <text>', 'only users whose name or note contains this text')
    .option('--status <status>', `only users in this state: ${USER_STATUSES.join(', ')}`)
    .option('--admin <username>', 'only users of this admin')
    .option('--offset <number>', 'leave out this many users', positiveInteger)
    .option('--limit <number>', 'show at most this many users', positiveInteger, DEFAULT_PAGE)
    .action(printing(listUsers));
  user
    .command('show <username>')
    .description('show a user; --json shows its credentials too')
    .action(printing(showUser));
  user.command('link <username>').description('print the subscription URL of a user').action(printing(printLink));
}

interface Terms {
  readonly group?: string[];
  readonly limit?: number;
  readonly expire?: string | 0;
  readonly note?: string;
}

/** What is given of a user, as the API takes it. */
async function termsOf(management: ManagementClient, { group, limit, expire, note }: Terms): Promise<object> {
  return {
    ...(group && { group_ids: await groupIds(management, group) }),
    ...(limit !== undefined && { data_limit: limit }),
    ...(expire !== undefined && { expire }),
    ...(note !== undefined && { note }),
  };
}

async function addUser(username: string, options: GlobalOptions & Terms & { admin?: string }): Promise<CommandAnswer> {
  const management = managementOf(options);
  const { admin } = options;
  if (admin !== undefined) await checkAdmin(management, admin);
  const terms = await termsOf(management, options);
  const created = await management.call<UserView>('POST', '/api/user', { username, ...terms });
  const owner = admin && new URLSearchParams({ admin_username: admin });
  const json = owner ? await management.call<UserView>('PUT', `${pathOf(username)}/set_owner?${owner}`) : created;
  const lacking = json.group_ids.length === 0 ? ', whose subscription is empty without a group (--group)' : '';
  return { text: `Created the user ${username}${lacking}\n${json.subscription_url}`, json };
}

async function modifyUser(username: string, options: GlobalOptions & Terms): Promise<CommandAnswer> {
  const management = managementOf(options);
  const terms = await termsOf(management, options);
  if (Object.keys(terms).length === 0)
    throw new OperatorError('Nothing is given to change: --group, --limit, --expire or --note.');
  const json = await management.call<UserView>('PUT', pathOf(username), terms);
  return { text: `Changed the user ${username}`, json };
}

async function setStatus(
  username: string,
  status: 'active' | 'disabled',
  options: GlobalOptions,
): Promise<CommandAnswer> {
  const json = await managementOf(options).call<UserView>('PUT', pathOf(username), { status });
  return { text: `The user ${username} is ${json.status}`, json };
}

async function resetUser(username: string, options: GlobalOptions): Promise<CommandAnswer> {
  const json = await managementOf(options).call<UserView>('POST', `${pathOf(username)}/reset`);
  return { text: `The user ${username} has used 0 B and is ${json.status}`, json };
}

async function removeUser(username: string, options: GlobalOptions): Promise<CommandAnswer> {
  await managementOf(options).call('DELETE', pathOf(username));
  return { text: `Deleted the user ${username}`, json: { username } };
}

async function listUsers(
  options: GlobalOptions & { search?: string; status?: string; admin?: string; offset?: number; limit: number },
): Promise<CommandAnswer> {
  const { search, status, admin, offset, limit } = options;
  const query = new URLSearchParams({
    limit: `${limit}`,
    ...(search && { search }),
    ...(status && { status }),
    ...(admin && { admin }),
    ...(offset && { offset: `${offset}` }),
  });
  const json = await managementOf(options).call<{ users: UserView[]; total: number }>('GET', `/api/users?${query}`);
  const rows = json.users.map((user) => [
    user.username,
    user.status,
    formatByteSize(user.used_traffic),
    limitOf(user),
    user.expire || 'never',
    user.online_at ?? 'never',
    user.admin?.username ?? '-',
  ]);
  const table = textTable(['USERNAME', 'STATUS', 'USED', 'LIMIT', 'EXPIRES', 'ONLINE', 'ADMIN'], rows);
  return { text: `${table}\n${json.users.length} of ${json.total} users`, json };
}

async function showUser(username: string, options: GlobalOptions): Promise<CommandAnswer> {
  const management = managementOf(options);
  const user = await management.call<UserView>('GET', pathOf(username));
  const groups = await groupsOf(management);
  const names = user.group_ids.map((id) => groups.find((group) => group.id === id)?.name ?? `${id}`);
  const text = textList([
    ['username', user.username],
    ['id', `${user.id}`],
    ['status', user.status],
    ['used', formatByteSize(user.used_traffic)],
    ['limit', limitOf(user)],
    ['reset', user.data_limit_reset_strategy],
    ['expires', user.expire || 'never'],
    ['online', user.online_at ?? 'never'],
    ['created', user.created_at],
    ['groups', names.join(', ') || 'none'],
    ['admin', user.admin?.username ?? 'none'],
    ['note', user.note ?? ''],
    ['subscription', user.subscription_url],
  ]);
  return { text, json: user };
}

async function printLink(username: string, options: GlobalOptions): Promise<CommandAnswer> {
  const { subscription_url } = await managementOf(options).call<UserView>('GET', pathOf(username));
  return { text: subscription_url, json: { username, subscription_url } };
}

/** The user is created before it gets its admin, so the name is checked first. */
async function checkAdmin(management: ManagementClient, username: string): Promise<void> {
  const query = new URLSearchParams({ username });
  const admins = await management.call<AdminView[]>('GET', `/api/admins?${query}`);
  if (!admins.some((admin) => admin.username === username)) throw new OperatorError('Admin not found');
}

async function groupsOf(management: ManagementClient): Promise<{ id: number; name: string }[]> {
  const { groups } = await management.call<{ groups: { id: number; name: string }[] }>('GET', '/api/groups');
  return groups;
}

async function groupIds(management: ManagementClient, wanted: readonly string[]): Promise<number[]> {
  const groups = await groupsOf(management);
  return wanted.map((text) => {
    const found = groups.find(({ name }) => name === text) ?? groups.find(({ id }) => `${id}` === text);
    if (!found) throw new OperatorError(`There is no group "${printable(text)}"`);
    return found.id;
  });
}

const limitOf = ({ data_limit }: UserView): string => (data_limit === 0 ? 'unlimited' : formatByteSize(data_limit));
const pathOf = (username: string): string => `/api/user/${encodeURIComponent(username)}`;
