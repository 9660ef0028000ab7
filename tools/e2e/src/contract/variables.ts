import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createHost, createUser, type Group, type Host, type User } from './fixtures.js';
import { FORMAT_VARIABLES } from './format-variables.js';
import { type Link, linksOf } from './links.js';

const VLESS = 'variables vless';
const TROJAN = 'variables trojan';
const GIB = 2 ** 30;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** ISO time so many seconds from now, plus 30 s so that no unit changes during the test. */
const inSeconds = (seconds: number): string => new Date(Date.now() + (seconds + 30) * 1000).toISOString();

const unlimited = {
  DATA_USAGE: '0 B',
  DATA_LIMIT: '∞',
  DATA_LEFT: '∞',
  DAYS_LEFT: '∞',
  EXPIRE_DATE: '∞',
  JALALI_EXPIRE_DATE: '∞',
  TIME_LEFT: '∞',
  STATUS_EMOJI: '✅',
  USAGE_PERCENTAGE: '∞',
};

const rows: readonly (readonly [title: string, rest: () => Record<string, unknown>, texts: Record<string, string>])[] =
  [
    ['has no limits', () => ({}), unlimited],
    ['has 10 GB', () => ({ data_limit: 10 * GIB }), { DATA_LIMIT: '10 GB', DATA_LEFT: '10 GB', USAGE_PERCENTAGE: '0' }],
    ['has 1.5 GB', () => ({ data_limit: 1.5 * GIB }), { DATA_LIMIT: '1.5 GB', DATA_LEFT: '1.5 GB' }],
    ['has 1.15 GB', () => ({ data_limit: 1_234_567_890 }), { DATA_LIMIT: '1.15 GB', DATA_LEFT: '1.15 GB' }],
    ['has a byte', () => ({ data_limit: 1 }), { DATA_LIMIT: '1 B', DATA_LEFT: '1 B' }],
    ['has 1.5 MB', () => ({ data_limit: 1.5 * 2 ** 20 }), { DATA_LIMIT: '1.5 MB' }],
    [
      'has a date',
      () => ({ expire: '2031-03-21T12:00:00Z' }),
      {
        EXPIRE_DATE: '2031-03-21',
        JALALI_EXPIRE_DATE: '1410-01-01',
        STATUS_EMOJI: '✅',
        DATA_LIMIT: '∞',
      },
    ],
    ['has 45 days', () => ({ expire: inSeconds(45 * DAY + 12 * HOUR) }), { DAYS_LEFT: '46', TIME_LEFT: '1m 15d' }],
    ['has 10 days', () => ({ expire: inSeconds(10 * DAY + 12 * HOUR) }), { DAYS_LEFT: '11', TIME_LEFT: '10d' }],
    ['has 3 days', () => ({ expire: inSeconds(3 * DAY + 5 * HOUR + 1800) }), { DAYS_LEFT: '4', TIME_LEFT: '3d 5h' }],
    ['has 5 hours', () => ({ expire: inSeconds(5 * HOUR + 1800) }), { DAYS_LEFT: '1', TIME_LEFT: '5h 30m' }],
    [
      'has expired',
      () => ({ expire: '2024-03-20T12:00:00Z' }),
      {
        DAYS_LEFT: '0',
        TIME_LEFT: '0',
        EXPIRE_DATE: '2024-03-20',
        JALALI_EXPIRE_DATE: '1403-01-01',
        STATUS_EMOJI: '⌛️',
      },
    ],
    [
      'is on hold',
      () => ({ status: 'on_hold', on_hold_expire_duration: 3 * DAY, data_limit: GIB }),
      {
        DAYS_LEFT: '3',
        TIME_LEFT: '3d',
        EXPIRE_DATE: '-',
        JALALI_EXPIRE_DATE: '-',
        STATUS_EMOJI: '🔌',
        DATA_LEFT: '1 GB',
      },
    ],
  ];

describe('format variables', () => {
  let core: Core;
  let group: Group;
  let hosts: Host[];
  const users: User[] = [];

  /** The value of each variable in the remark of the first host, and the links. */
  const read = async (user: User): Promise<{ texts: Record<string, string>; links: Link[] }> => {
    users.push(user);
    const links = await linksOf(user);
    const values = links[0]?.remark.split('|') ?? [];
    return {
      links,
      texts: Object.fromEntries(FORMAT_VARIABLES.map((name, at) => [name, values[at] ?? 'no such text'])),
    };
  };

  beforeAll(async () => {
    core = await createCore(
      vless(VLESS, { streamSettings: { network: 'ws', wsSettings: {} } }),
      vless(TROJAN, { protocol: 'trojan', settings: {}, streamSettings: { network: 'grpc', grpcSettings: {} } }),
    );
    group = await createGroup(VLESS, TROJAN);
    await environment.sudo.modify('/api/settings', {
      subscription: { server_ip: '192.0.2.1', server_ipv6: '2001:db8::1' },
    });
    const remark = FORMAT_VARIABLES.map((name) => `{${name}}`).join('|');
    hosts = [
      await createHost(VLESS, { remark, priority: 1, address: ['{SERVER_IP}'] }),
      await createHost(TROJAN, { remark: '{{{PROTOCOL}}} {TRANSPORT}', priority: 2, address: ['{SERVER_IPV6}'] }),
      await createHost(VLESS, { remark: 'named', priority: 3, address: ['{USERNAME}.{PROTOCOL}.example'] }),
    ];
  });
  afterAll(async () => {
    for (const { username } of users) await environment.sudo.remove(`/api/user/${username}`);
    for (const { id } of hosts) await environment.sudo.remove(`/api/host/${id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  it.each(rows)('format variables of a user who %s', async (_title, rest, expected) => {
    const { texts } = await read(await createUser([group], rest()));
    expect(texts).toMatchObject(expected);
  });

  it('format variables of a user who is disabled', async () => {
    const { username } = await createUser([group]);
    const { texts } = await read(await environment.sudo.modify<User>(`/api/user/${username}`, { status: 'disabled' }));
    expect(texts).toMatchObject({ STATUS_EMOJI: '❌', DAYS_LEFT: '∞' });
  });

  it('format variables of the server, the user, the admin and the inbound, in remarks and addresses', async () => {
    const user = await createUser([group], {}, environment.plain);
    const { texts, links } = await read(user);
    expect(texts).toEqual({
      ...unlimited,
      SERVER_IP: '192.0.2.1',
      SERVER_IPV6: '[2001:db8::1]',
      USERNAME: user.username,
      PROTOCOL: 'vless',
      TRANSPORT: 'ws',
      ADMIN_USERNAME: 'plain-admin',
    });
    expect(links.map(({ address }) => address)).toEqual([
      '192.0.2.1',
      '[2001:db8::1]',
      `${user.username}.vless.example`,
    ]);
    expect(links[1]?.remark).toBe('{trojan} grpc');
  });
});
