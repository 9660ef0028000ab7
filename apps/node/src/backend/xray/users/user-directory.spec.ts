import { performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Proxy as Credentials, type DeepPartial, UsersDigest, userDigest } from '@rampart/node-client';
import { rawUser } from '../../../testing/raw-users.js';
import { decodeUser, type RawUser } from '../../../wire/raw-user.js';
import type { ManagedInbound } from '../config/managed-inbound.js';
import { UserDirectory } from './user-directory.js';
import type { UserPlan } from './user-plan.js';

const KEY_OF_PASSWORD = 'XohImNooBHFR0OVvjcYpJw==';
const INBOUNDS: ManagedInbound[] = [
  { tag: 'vless', handover: 'shared', protocol: 'vless', vision: true, flow: '' },
  { tag: 'ws', handover: 'shared', protocol: 'vless', vision: false, flow: 'xtls-rprx-vision' },
  { tag: 'vmess', handover: 'shared', protocol: 'vmess' },
  { tag: 'trojan', handover: 'shared', protocol: 'trojan' },
  { tag: 'ss', handover: 'shared', protocol: 'shadowsocks' },
  { tag: 'ss2022', handover: 'shared', protocol: 'shadowsocks-2022', method: '2022-blake3-aes-128-gcm' },
  { tag: 'hysteria', handover: 'shared', protocol: 'hysteria' },
];
const inbounds = new Map(INBOUNDS.map((inbound) => [inbound.tag, inbound]));
const UUID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

const user = (email: string, credentials: DeepPartial<Credentials>, ...tags: string[]): RawUser =>
  rawUser({ email, proxies: credentials, inbounds: tags });
const trojan = (email: string, password: string) => user(email, { trojan: { password } }, 'trojan');
const gone = (email: string) => rawUser({ email });

const directory = async (...users: RawUser[]) => (await UserDirectory.fromUsers(inbounds, users)).directory;
const refusedOf = async (...users: RawUser[]) => (await UserDirectory.fromUsers(inbounds, users)).refused;
const emails = (users: UserDirectory) => Array.from(users.allUsers(), ({ email }) => email);
const passwords = (users: UserDirectory) =>
  Object.fromEntries(Array.from(users.members('trojan'), ({ email, account }) => [email, Object(account).password]));
const steps = ({ removals, additions }: UserPlan) => {
  const text = ({ email, inbound }: (typeof removals)[number]) => `${email} on ${inbound.tag}`;
  return { removals: removals.map(text), additions: additions.map(text) };
};
/** The digest computed from scratch, for comparison with the incremental one. */
const digestOf = (users: UserDirectory) => {
  const digest = new UsersDigest();
  for (const one of users.allUsers()) digest.addDigest(userDigest(decodeUser(one)));
  return digest.value;
};

describe(UserDirectory.name, () => {
  it('a user gets an account on each inbound for whose protocol there is a credential', async () => {
    const users = await directory(
      user(
        '1.ann',
        {
          vless: { id: UUID.toUpperCase().replaceAll('-', ''), flow: 'xtls-rprx-vision' },
          vmess: { id: UUID },
          shadowsocks: { password: 'password', method: 'AEAD_CHACHA20_POLY1305' },
          hysteria: { auth: 'auth' },
        },
        ...[...inbounds.keys(), 'vless', 'unknown'],
      ),
    );
    const accounts = [...inbounds.keys()].map((tag) => [tag, Array.from(users.members(tag), ({ account }) => account)]);
    expect(Object.fromEntries(accounts)).toEqual({
      vless: [{ protocol: 'vless', id: UUID, flow: 'xtls-rprx-vision' }],
      ws: [{ protocol: 'vless', id: UUID, flow: '' }],
      vmess: [{ protocol: 'vmess', id: UUID }],
      trojan: [],
      ss: [{ protocol: 'shadowsocks', password: 'password', method: 'chacha20-ietf-poly1305' }],
      ss2022: [{ protocol: 'shadowsocks-2022', key: KEY_OF_PASSWORD }],
      hysteria: [{ protocol: 'hysteria', auth: 'auth' }],
    });
    expect([...users.members('unknown')]).toEqual([]);
  });

  it.each([
    ['email is missing', user(' ', { vless: { id: UUID } }, 'vless')],
    ['email has a control character', user('a\nb', { vless: { id: UUID } }, 'vless')],
    [
      'email begins with "~rampart-", which is reserved for the node',
      user('~rampart-x', { vless: { id: UUID } }, 'vless'),
    ],
    ['vless id is not a UUID', user('a', { vless: { id: `${UUID}0` } }, 'vless')],
    ['vless id is not a UUID', user('a', { vless: { flow: 'xtls-rprx-vision' } }, 'vless')],
    ['vless id is not a UUID', user('a', { vless: { id: 'a-short-name' } }, 'vless')],
    ['vmess id is not a UUID', user('a', { vmess: { id: `{${UUID}}` } }, 'vmess')],
    [
      'vless flow "none" is unknown; use "" or "xtls-rprx-vision"',
      user('a', { vless: { id: UUID, flow: 'none' } }, 'ws'),
    ],
    ['shadowsocks password is empty', user('a', { shadowsocks: { method: 'aes-128-gcm' } }, 'ss2022')],
    ['shadowsocks password is empty', user('a', { shadowsocks: { method: 'aes-128-gcm' } }, 'ss')],
    ...['', 'plain', 'none', 'aes-128-cfb', '2022-blake3-aes-128-gcm'].map((method): [string, RawUser] => [
      `shadowsocks method "${method}" is unknown or without a key; use an AEAD method such as "chacha20-ietf-poly1305"`,
      user('a', { shadowsocks: { password: 'p', method } }, 'ss'),
    ]),
  ])('a user is refused: %s', async (reason, refused) => {
    const users = [refused, user('b', { vless: { id: UUID } }, 'vless')];
    const made = await UserDirectory.fromUsers(inbounds, users);
    expect(made.refused).toEqual([{ email: refused.email, reason }]);
    expect(emails(made.directory)).toEqual(['b']);
    const empty = new UserDirectory(inbounds);
    expect((await empty.replaceAll(users)).refused).toEqual([{ email: refused.email, reason }]);
    expect(await empty.changeUsers([refused])).toEqual({
      plan: { removals: [], additions: [] },
      refused: [{ email: refused.email, reason }],
    });
  });

  it('an empty credential counts as none', async () => {
    const nothing = { vmess: {}, vless: {}, trojan: {}, shadowsocks: {}, wireguard: {}, hysteria: {} };
    const ann = user('1.ann', { ...nothing, vmess: { id: UUID } }, ...inbounds.keys());
    const made = await UserDirectory.fromUsers(inbounds, [ann]);
    expect(made.refused).toEqual([]);
    expect([...inbounds.keys()].filter((tag) => [...made.directory.members(tag)].length > 0)).toEqual(['vmess']);
  });

  it.each([
    ['a key of 16 bytes', 'AAECAwQFBgcICQoLDA0ODw==', 'AAECAwQFBgcICQoLDA0ODw=='],
    ['a key of another length', 'AAECAwQFBgcICQoLDA0O', 'HaLVdJu5xwoxDY/re0cwCw=='],
    ['no base64 at all', 'password', KEY_OF_PASSWORD],
  ])('a shadowsocks-2022 user gets a valid key from %s', async (_what, password, key) => {
    const users = await directory(user('a', { shadowsocks: { password } }, 'ss2022'));
    expect([...users.members('ss2022')]).toEqual([{ email: 'a', account: { protocol: 'shadowsocks-2022', key } }]);
  });

  it('credentials that no inbound of the user needs are not validated', async () => {
    expect(await refusedOf(user('a', { vless: { id: UUID }, vmess: { id: '?' } }, 'vless', 'unknown'))).toEqual([]);
  });

  it.each([
    [
      'vless id (bytes 6 and 7 do not count)',
      { vless: { id: UUID } },
      { vless: { id: UUID.replace('4ccc', 'ffff') } },
      'vless',
    ],
    ['vmess id', { vmess: { id: UUID } }, { vmess: { id: UUID.toUpperCase() } }, 'vmess'],
    ['trojan password', { trojan: { password: 'p' } }, { trojan: { password: 'p' } }, 'trojan'],
    [
      'shadowsocks password',
      { shadowsocks: { password: 'password' } },
      { shadowsocks: { password: KEY_OF_PASSWORD } },
      'ss2022',
    ],
    [
      'shadowsocks password',
      { shadowsocks: { password: 'p', method: 'aes-128-gcm' } },
      { shadowsocks: { password: 'p', method: 'aes-256-gcm' } },
      'ss',
    ],
    ['hysteria auth', { hysteria: { auth: 'p' } }, { hysteria: { auth: 'p' } }, 'hysteria'],
  ])('the second user with the same %s on one inbound is refused', async (name, first, second, tag) => {
    expect(await refusedOf(user('a', first, tag), user('b', second, tag))).toEqual([
      { email: 'b', reason: `${name} equals that of "a"` },
    ]);
  });

  it('the second user with the same name is refused, regardless of case', async () => {
    expect(await refusedOf(trojan('Straße', 'p'), trojan('STRAßE', 'q'))).toEqual([
      { email: 'STRAßE', reason: 'email is that of "Straße"; the engine ignores case' },
    ]);
  });

  it('users may share a credential on different inbounds', async () => {
    const users = [user('a', { vless: { id: UUID } }, 'vless'), user('b', { vless: { id: UUID } }, 'ws')];
    expect(await refusedOf(...users)).toEqual([]);
  });

  it('a user stays unchanged when a change is refused', async () => {
    const users = await directory(trojan('a', 'p'), trojan('b', 'q'));
    const nothing = { removals: [], additions: [] };
    expect(await users.changeUsers([trojan('b', 'p')])).toEqual({
      plan: nothing,
      refused: [{ email: 'b', reason: 'trojan password equals that of "a"' }],
    });
    expect(await users.changeUsers([trojan('B', 'r')])).toEqual({
      plan: nothing,
      refused: [{ email: 'B', reason: 'email is that of "b"; the engine ignores case' }],
    });
    expect(passwords(users)).toEqual({ a: 'p', b: 'q' });
  });

  it('the credentials of a removed or changed user become free', async () => {
    const users = await directory(trojan('a', 'p'));
    expect((await users.changeUsers([trojan('a', 'q')])).refused).toEqual([]);
    expect((await users.changeUsers([trojan('b', 'p')])).refused).toEqual([]);
    expect(users.removeUser('b').map(({ email, inbound }) => `${email} on ${inbound.tag}`)).toEqual(['b on trojan']);
    expect((await users.changeUsers([trojan('c', 'p')])).refused).toEqual([]);
    expect(emails(users)).toEqual(['a', 'c']);
  });

  describe('changes of several users at once', () => {
    it('changes of one call let two users swap their credentials', async () => {
      const users = await directory(trojan('a', 'p'), trojan('b', 'q'));
      expect((await users.changeUsers([trojan('a', 'q'), trojan('b', 'p')])).refused).toEqual([]);
      expect(passwords(users)).toEqual({ a: 'q', b: 'p' });
    });

    it('changes of one call let a user take what another one gives up, in any order', async () => {
      const users = await directory(trojan('a', 'p'), trojan('b', 'q'), trojan('Case', 'r'));
      expect(
        (await users.changeUsers([trojan('c', 'p'), trojan('a', 'q'), gone('b'), trojan('case', 'r')])).refused,
      ).toEqual([{ email: 'case', reason: 'email is that of "Case"; the engine ignores case' }]);
      expect(passwords(users)).toEqual({ Case: 'r', c: 'p', a: 'q' });
    });

    it('refused users stay unchanged, and a user who would take their credential is refused too', async () => {
      const users = await directory(trojan('a', 'p'), trojan('b', 'q'), trojan('c', 'r'), trojan('e', 'u'));
      const bad = user('a', { vmess: { id: '?' } }, 'vmess');
      const { plan, refused } = await users.changeUsers([
        ...[trojan('b', 'p'), bad, trojan('d', 's'), trojan('c', 'q'), trojan('e', 'v')],
      ]);
      expect(refused).toEqual([
        { email: 'a', reason: 'vmess id is not a UUID' },
        { email: 'b', reason: 'trojan password equals that of "a"' },
        { email: 'c', reason: 'trojan password equals that of "b"' },
      ]);
      expect(steps(plan)).toEqual({ removals: ['e on trojan'], additions: ['e on trojan', 'd on trojan'] });
      expect(passwords(users)).toEqual({ a: 'p', b: 'q', c: 'r', d: 's', e: 'v' });
      expect(users.digest).toEqual(digestOf(users));
    });

    it('a refused user keeps the name that another one has asked for', async () => {
      const users = await directory(trojan('a', 'p'));
      expect((await users.changeUsers([trojan('A', 'q'), user('a', { vmess: { id: '?' } }, 'vmess')])).refused).toEqual(
        [
          { email: 'a', reason: 'vmess id is not a UUID' },
          { email: 'A', reason: 'email is that of "a"; the engine ignores case' },
        ],
      );
      expect(passwords(users)).toEqual({ a: 'p' });
    });

    it('changes of several users are validated in one pass, also when one refusal causes all others', async () => {
      const name = (index: number) => `password-${index}`;
      const users = await directory(...Array.from({ length: 5001 }, (_, index) => trojan(`${index}.u`, name(index))));
      const changed = Array.from({ length: 5000 }, (_, index) => trojan(`${index}.u`, name(index + 1)));
      expect((await users.changeUsers(changed)).refused).toHaveLength(5000);
      expect(
        new Set(Object.entries(passwords(users)).map(([email, kept]) => kept === `password-${email.slice(0, -2)}`)),
      ).toEqual(new Set([true]));
    });

    it('the removal of an unknown user succeeds, and one without a name is refused', async () => {
      const users = await directory(trojan('a', 'p'));
      expect((await users.changeUsers([gone('b'), gone('A'), gone('')])).refused).toEqual([
        { email: '', reason: 'email is missing' },
      ]);
      expect(passwords(users)).toEqual({ a: 'p' });
    });
  });

  it('the last of several versions of one user counts', async () => {
    const { directory: users, refused } = await UserDirectory.fromUsers(inbounds, [trojan('a', 'p'), trojan('a', 'q')]);
    expect(refused).toEqual([]);
    expect(passwords(users)).toEqual({ a: 'q' });
    expect(emails(await directory(trojan('a', 'p'), gone('a')))).toEqual([]);
  });

  it('a removal by a name in another case removes nobody', async () => {
    const users = await directory(trojan('a', 'p'));
    expect(users.removeUser('A')).toEqual([]);
    expect(emails(users)).toEqual(['a']);
  });

  it('a directory keeps the bytes of a user, but not the larger message around them', async () => {
    const ann = trojan('a', 'p');
    const message = Buffer.concat([Buffer.alloc(1000), ann.bytes]);
    const [kept] = (await directory({ ...ann, bytes: message.subarray(1000) })).allUsers();
    expect(kept).toEqual({ ...ann, bytes: Buffer.from(ann.bytes) });
  });
});

describe('UserDirectory.replaceAll', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('a full set of users changes only what differs', async () => {
    const other = UUID.replace('a', 'b');
    const users = await directory(
      user('same', { vless: { id: UUID } }, 'vless', 'ws'),
      user('gone', { trojan: { password: 'a' } }, 'trojan'),
      user('moved', { trojan: { password: 'b' }, vmess: { id: UUID } }, 'trojan'),
      user('changed', { trojan: { password: 'c' }, vmess: { id: other } }, 'trojan', 'vmess'),
    );
    const wanted = [
      user('same', { vless: { id: UUID }, trojan: { password: 'unused' } }, 'ws', 'vless'),
      user('moved', { trojan: { password: 'b' }, vmess: { id: UUID } }, 'vmess'),
      user('changed', { trojan: { password: 'd' }, vmess: { id: other } }, 'trojan', 'vmess'),
      user('new', { trojan: { password: 'e' } }, 'trojan', 'not-there-yet'),
    ];
    const { plan, refused } = await users.replaceAll(wanted);
    expect(refused).toEqual([]);
    expect(steps(plan)).toEqual({
      removals: ['gone on trojan', 'moved on trojan', 'changed on trojan'],
      additions: ['moved on vmess', 'changed on trojan', 'new on trojan'],
    });
    expect([users.count, users.digest]).toEqual([4, (await directory(...wanted)).digest]);
    expect(steps((await users.replaceAll(wanted)).plan)).toEqual({ removals: [], additions: [] });
  });

  it('a full set treats a name in another case as another user', async () => {
    const users = await directory(trojan('a', 'p'));
    const { plan } = await users.replaceAll([trojan('A', 'p')]);
    expect(steps(plan)).toEqual({ removals: ['a on trojan'], additions: ['A on trojan'] });
  });

  it('a full set lets users swap credentials, and refuses a user who takes one that another keeps', async () => {
    const users = await directory(trojan('a', 'p'), trojan('b', 'q'), trojan('c', 'r'));
    const { plan, refused } = await users.replaceAll([
      trojan('d', 'r'),
      trojan('a', 'q'),
      trojan('b', 'p'),
      trojan('c', 'r'),
    ]);
    expect(refused).toEqual([{ email: 'd', reason: 'trojan password equals that of "c"' }]);
    expect(steps(plan)).toEqual({
      removals: ['a on trojan', 'b on trojan'],
      additions: ['a on trojan', 'b on trojan'],
    });
    expect(passwords(users)).toEqual({ c: 'r', a: 'q', b: 'p' });
  });

  it('a user who is refused in a full set is not served, not even unchanged', async () => {
    const users = await directory(trojan('a', 'p'), trojan('b', 'q'));
    const { plan, refused } = await users.replaceAll([trojan('a', 'p'), trojan('b', 'p')]);
    expect(refused).toEqual([{ email: 'b', reason: 'trojan password equals that of "a"' }]);
    expect(steps(plan)).toEqual({ removals: ['b on trojan'], additions: [] });
    expect(passwords(users)).toEqual({ a: 'p' });
  });

  it.each(['replaceAll', 'changeUsers'] as const)(
    'readers see the users before or after a %s, and no intermediate state',
    async (how) => {
      const before = Array.from({ length: 1500 }, (_, index) => trojan(`before ${index}`, `p${index}`));
      const after = Array.from({ length: 1500 }, (_, index) => trojan(`after ${index}`, `p${index}`));
      const users = await directory(...before);
      const shown = () => ({ count: users.count, digest: users.digest, first: emails(users)[0] });
      const states = [shown(), { count: 1500, digest: digestOf(await directory(...after)), first: 'after 0' }];
      const [reading] = users.allUsers();
      // One millisecond passes between two readings of the clock, so that the change yields, however fast the machine is.
      let milliseconds = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => ++milliseconds);
      let done = false;
      const coming = how === 'replaceAll' ? after : [...before.map(({ email }) => gone(email)), ...after];
      const changed = users[how](coming).then(() => {
        done = true;
      });
      let turns = 0;
      while (!done) {
        expect(states).toContainEqual(shown());
        await turn();
        turns += 1;
      }
      await changed;
      expect(turns).toBeGreaterThan(2);
      expect(shown()).toEqual(states[1]);
      expect(reading?.email).toBe('before 0');
    },
  );

  it('the list of users does not change while it is read', async () => {
    const users = await directory(trojan('a', 'p'), trojan('b', 'q'));
    const read: string[] = [];
    for (const { email } of users.allUsers()) {
      read.push(email);
      await users.changeUsers([gone('b'), trojan('c', 'r')]);
    }
    expect(read).toEqual(['a', 'b']);
    expect(emails(users)).toEqual(['a', 'c']);
    expect([users.hasUser('c'), users.hasUser('C'), users.hasUser('b')]).toEqual([true, false, false]);
  });

  it('a user message above the size limit is refused before it is decoded', async () => {
    const tags = Array.from({ length: 20_000 }, (_, index) => `in-${index}`);
    const large = user('a', { trojan: { password: 'p' } }, ...tags);
    expect(await refusedOf(large)).toEqual([{ email: 'a', reason: 'user has more than 65536 bytes' }]);
  });
});
