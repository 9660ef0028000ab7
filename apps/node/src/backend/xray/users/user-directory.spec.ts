import { describe, expect, it } from '@jest/globals';
import { Proxy as Credentials, type DeepPartial } from '@rampart/node-client';
import type { BackendUser } from '../../backend.js';
import type { ManagedInbound } from '../config/inbounds.js';
import { UserDirectory } from './user-directory.js';
import { planUsers } from './user-plan.js';

const KEY_OF_PASSWORD = 'XohImNooBHFR0OVvjcYpJw==';
const INBOUNDS: ManagedInbound[] = [
  { tag: 'vless', protocol: 'vless', vision: true, flow: '' },
  { tag: 'ws', protocol: 'vless', vision: false, flow: 'xtls-rprx-vision' },
  { tag: 'vmess', protocol: 'vmess' },
  { tag: 'trojan', protocol: 'trojan' },
  { tag: 'ss', protocol: 'shadowsocks' },
  { tag: 'ss2022', protocol: 'shadowsocks-2022', method: '2022-blake3-aes-128-gcm' },
  { tag: 'hysteria', protocol: 'hysteria' },
];
const inbounds = new Map(INBOUNDS.map((inbound) => [inbound.tag, inbound]));
const UUID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

const user = (email: string, credentials: DeepPartial<Credentials>, ...tags: string[]): BackendUser => ({
  ...{ email, credentials: Credentials.fromPartial(credentials), inbounds: tags },
});
const directory = (...users: BackendUser[]) => UserDirectory.of(inbounds, users).directory;

describe('UserDirectory', () => {
  it('makes an account for each inbound whose protocol the user has a credential for', () => {
    const ann = user(
      '1.ann',
      {
        vless: { id: UUID.toUpperCase().replaceAll('-', ''), flow: 'xtls-rprx-vision' },
        vmess: { id: UUID },
        shadowsocks: { password: 'password', method: 'AEAD_CHACHA20_POLY1305' },
        hysteria: { auth: 'auth' },
      },
      ...[...inbounds.keys(), 'vless', 'unknown'],
    );
    const members = directory(ann).memberships(ann);
    expect(Object.fromEntries(members.map(({ inbound, account }) => [inbound.tag, account]))).toEqual({
      vless: { protocol: 'vless', id: UUID, flow: 'xtls-rprx-vision' },
      ws: { protocol: 'vless', id: UUID, flow: '' },
      vmess: { protocol: 'vmess', id: UUID },
      ss: { protocol: 'shadowsocks', password: 'password', method: 'chacha20-ietf-poly1305' },
      ss2022: { protocol: 'shadowsocks-2022', key: KEY_OF_PASSWORD },
      hysteria: { protocol: 'hysteria', auth: 'auth' },
    });
    expect(members).toHaveLength(6);
  });

  it.each([
    ['email is missing', user(' ', { vless: { id: UUID } }, 'vless')],
    ['email has a control character', user('a\nb', { vless: { id: UUID } }, 'vless')],
    [
      'email begins with "~rampart-", which is reserved for the node',
      user('~rampart-x', { vless: { id: UUID } }, 'vless'),
    ],
    ['vless id is not a UUID', user('a', { vless: { id: `${UUID}0` } }, 'vless')],
    ['vmess id is not a UUID', user('a', { vmess: { id: '' } }, 'vmess')],
    [
      'vless flow "none" is unknown; use "" or "xtls-rprx-vision"',
      user('a', { vless: { id: UUID, flow: 'none' } }, 'ws'),
    ],
    ['trojan password is empty', user('a', { trojan: {} }, 'trojan')],
    ['shadowsocks password is empty', user('a', { shadowsocks: { method: 'aes-128-gcm' } }, 'ss2022')],
    ['hysteria auth is empty', user('a', { hysteria: {} }, 'hysteria')],
    [
      'shadowsocks method "plain" is unknown or without a key; use an AEAD method such as "chacha20-ietf-poly1305"',
      user('a', { shadowsocks: { password: 'p', method: 'plain' } }, 'ss'),
    ],
  ])('refuses: %s', (reason, refused) => {
    expect(UserDirectory.of(inbounds, [refused, user('b', { vless: { id: UUID } }, 'vless')])).toMatchObject({
      refused: [{ email: refused.email, reason }],
    });
  });

  it('does not look at credentials that no inbound of the user needs', () => {
    const odd = user('a', { vless: { id: UUID }, trojan: { password: '' } }, 'vless', 'unknown');
    expect(UserDirectory.of(inbounds, [odd]).refused).toEqual([]);
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
  ])('refuses the second user with one %s on one inbound', (name, first, second, tag) => {
    expect(UserDirectory.of(inbounds, [user('a', first, tag), user('b', second, tag)]).refused).toEqual([
      { email: 'b', reason: `${name} equals that of "a"` },
    ]);
  });

  it('lets users share a credential on different inbounds', () => {
    const users = [user('a', { vless: { id: UUID } }, 'vless'), user('b', { vless: { id: UUID } }, 'ws')];
    expect(UserDirectory.of(inbounds, users).refused).toEqual([]);
  });

  it('leaves a user as it was when a change is refused', () => {
    const users = directory(
      user('a', { trojan: { password: 'p' } }, 'trojan'),
      user('b', { trojan: { password: 'q' } }, 'trojan'),
    );
    expect(users.put(user('b', { trojan: { password: 'p' } }, 'trojan'))).toBe('trojan password equals that of "a"');
    expect(users.put(user('B', { trojan: { password: 'r' } }, 'trojan'))).toBe(
      'email is that of "b"; the engine ignores case',
    );
    expect(users.get('b')?.credentials.trojan?.password).toBe('q');
  });

  it('frees the credentials of who leaves or changes', () => {
    const users = directory(user('a', { trojan: { password: 'p' } }, 'trojan'));
    expect(users.put(user('a', { trojan: { password: 'q' } }, 'trojan'))).toBeUndefined();
    expect(users.put(user('b', { trojan: { password: 'p' } }, 'trojan'))).toBeUndefined();
    users.remove('b');
    expect(users.put(user('c', { trojan: { password: 'p' } }, 'trojan'))).toBeUndefined();
    expect([...users.all()].map(({ email }) => email)).toEqual(['a', 'c']);
  });

  describe('changes of several users at once', () => {
    const trojan = (email: string, password: string) => user(email, { trojan: { password } }, 'trojan');
    const passwords = (users: UserDirectory) =>
      Object.fromEntries([...users.all()].map(({ email, credentials }) => [email, credentials.trojan?.password]));

    it('let two users swap their credentials', () => {
      const users = directory(trojan('a', 'p'), trojan('b', 'q'));
      expect(users.change([trojan('a', 'q'), trojan('b', 'p')])).toEqual([]);
      expect(passwords(users)).toEqual({ a: 'q', b: 'p' });
    });

    it('let a user take what another one gives up, whoever comes first', () => {
      const users = directory(trojan('a', 'p'), trojan('b', 'q'), trojan('Case', 'r'));
      const gone = { ...trojan('b', ''), inbounds: [] };
      expect(users.change([trojan('c', 'p'), trojan('a', 'q'), gone, trojan('case', 'r')])).toEqual([
        { email: 'case', reason: 'email is that of "Case"; the engine ignores case' },
      ]);
      expect(passwords(users)).toEqual({ Case: 'r', c: 'p', a: 'q' });
    });

    it('leave those who are refused as they were, and refuse who would take what they keep', () => {
      const users = directory(trojan('a', 'p'), trojan('b', 'q'), trojan('c', 'r'));
      expect(users.change([trojan('b', 'p'), trojan('a', ''), trojan('d', 's'), trojan('c', 'q')])).toEqual([
        { email: 'a', reason: 'trojan password is empty' },
        { email: 'b', reason: 'trojan password equals that of "a"' },
        { email: 'c', reason: 'trojan password equals that of "b"' },
      ]);
      expect(passwords(users)).toEqual({ a: 'p', b: 'q', c: 'r', d: 's' });
    });

    it('are judged in one pass, also when one refusal brings on all others', () => {
      const name = (index: number) => `password-${index}`;
      const users = directory(...Array.from({ length: 20_001 }, (_, index) => trojan(`${index}.u`, name(index))));
      const changed = Array.from({ length: 20_000 }, (_, index) => trojan(`${index}.u`, name(index + 1)));
      expect(users.change(changed)).toHaveLength(20_000);
      expect(
        new Set(Object.entries(passwords(users)).map(([email, kept]) => kept === `password-${email.slice(0, -2)}`)),
      ).toEqual(new Set([true]));
    });

    it('forget a user that is not there, and refuse to without a name', () => {
      const users = directory(trojan('a', 'p'));
      expect(users.change([user('b', {}), user('A', {}), user('', {})])).toEqual([
        { email: '', reason: 'email is missing' },
      ]);
      expect(passwords(users)).toEqual({ a: 'p' });
    });
  });

  it('takes the last of several versions of one user', () => {
    const [first, last] = [
      user('a', { trojan: { password: 'p' } }, 'trojan'),
      user('a', { trojan: { password: 'q' } }, 'trojan'),
    ];
    const { directory: users, refused } = UserDirectory.of(inbounds, [first, last]);
    expect(refused).toEqual([]);
    expect(users.get('a')?.credentials.trojan?.password).toBe('q');
    expect([...UserDirectory.of(inbounds, [first, user('a', {})]).directory.all()]).toEqual([]);
  });

  it('removes nobody by a name in another case', () => {
    const users = directory(user('a', { trojan: { password: 'p' } }, 'trojan'));
    users.remove('A');
    expect([...users.all()]).toHaveLength(1);
  });
});

describe('planUsers', () => {
  const steps = (before: UserDirectory, after: UserDirectory) => {
    const { removals, additions } = planUsers(before, after);
    const text = ({ email, inbound }: (typeof removals)[number]) => `${email} on ${inbound.tag}`;
    return { removals: removals.map(text), additions: additions.map(text) };
  };

  it('touches only what differs', () => {
    const before = directory(
      user('same', { vless: { id: UUID } }, 'vless', 'ws'),
      user('gone', { trojan: { password: 'a' } }, 'trojan'),
      user('moved', { trojan: { password: 'b' }, vmess: { id: UUID } }, 'trojan'),
      user('changed', { trojan: { password: 'c' }, vmess: { id: UUID.replace('a', 'b') } }, 'trojan', 'vmess'),
    );
    const after = directory(
      user('same', { vless: { id: UUID }, trojan: { password: 'unused' } }, 'ws', 'vless'),
      user('moved', { trojan: { password: 'b' }, vmess: { id: UUID } }, 'vmess'),
      user('changed', { trojan: { password: 'd' }, vmess: { id: UUID.replace('a', 'b') } }, 'trojan', 'vmess'),
      user('new', { trojan: { password: 'e' } }, 'trojan', 'not-there-yet'),
    );
    expect(steps(before, after)).toEqual({
      removals: ['gone on trojan', 'moved on trojan', 'changed on trojan'],
      additions: ['moved on vmess', 'changed on trojan', 'new on trojan'],
    });
    expect(steps(after, after)).toEqual({ removals: [], additions: [] });
  });

  it('takes a name in another case for another user', () => {
    const [before, after] = [
      directory(user('a', { trojan: { password: 'p' } }, 'trojan')),
      directory(user('A', { trojan: { password: 'p' } }, 'trojan')),
    ];
    expect(steps(before, after)).toEqual({ removals: ['a on trojan'], additions: ['A on trojan'] });
  });
});
