import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Core, createCore, deleteCore, vless } from './core-config.js';
import { environment } from './environment.js';
import { createGroup, createHost, createUser, type Group, type Host, type User } from './fixtures.js';
import { linksOf, remarksOf } from './links.js';

const FIXED = { one: 'subscription one', two: 'subscription two', three: 'subscription three' };

describe('a subscription', () => {
  let core: Core;
  let one: Group;
  let two: Group;
  let both: Group;
  let user: User;
  const change = (group: Group, body: object) => environment.sudo.modify(`/api/group/${group.id}`, body);
  const assign = (groups: readonly Group[]) =>
    environment.sudo.modify(`/api/user/${user.username}`, { group_ids: groups.map(({ id }) => id) });

  beforeAll(async () => {
    core = await createCore(...Object.values(FIXED).map((tag) => vless(tag)));
    [one, two, both] = [
      await createGroup(FIXED.one),
      await createGroup(FIXED.two),
      await createGroup(FIXED.one, FIXED.two),
    ];
    user = await createUser([one]);
  });
  afterEach(async () => {
    await assign([one]);
    const hosts = await environment.sudo.get<Host[]>('/api/hosts');
    await Promise.all(hosts.map(({ id }) => environment.sudo.remove(`/api/host/${id}`)));
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user/${user.username}`);
    for (const { id } of [one, two, both]) await environment.sudo.remove(`/api/group/${id}`);
    await deleteCore(core);
  });

  const threeHosts = async () => {
    for (const [remark, tag] of Object.entries(FIXED)) await createHost(tag, { remark });
  };

  it('a subscription shows the hosts of the tags of all groups, once each', async () => {
    await threeHosts();
    expect(await remarksOf(user)).toEqual(['one']);
    await assign([one, two]);
    expect((await remarksOf(user)).toSorted()).toEqual(['one', 'two']);
    await assign([one, two, both]);
    expect((await remarksOf(user)).toSorted()).toEqual(['one', 'two']);
  });

  it('a subscription ignores a disabled group until it is enabled again', async () => {
    await threeHosts();
    await assign([one, both]);
    await change(both, { is_disabled: true });
    expect(await remarksOf(user)).toEqual(['one']);
    await change(one, { is_disabled: true });
    expect(await remarksOf(user)).toEqual([]);
    await change(both, { is_disabled: false });
    expect((await remarksOf(user)).toSorted()).toEqual(['one', 'two']);
    await change(one, { is_disabled: false });
  });

  it('a subscription follows changes of the tags of a group', async () => {
    await threeHosts();
    await change(one, { inbound_tags: [FIXED.three] });
    expect(await remarksOf(user)).toEqual(['three']);
    await change(one, { inbound_tags: [] });
    expect(await remarksOf(user)).toEqual([]);
    await change(one, { inbound_tags: [FIXED.one] });
    expect(await remarksOf(user)).toEqual(['one']);
  });

  it('a subscription is empty without groups', async () => {
    await threeHosts();
    const nobody = await createUser([]);
    expect(await remarksOf(nobody)).toEqual([]);
    await environment.sudo.remove(`/api/user/${nobody.username}`);
  });

  it('a subscription leaves out disabled hosts', async () => {
    const host = await createHost(FIXED.one, { remark: 'hidden', is_disabled: true });
    await createHost(FIXED.one, { remark: 'shown' });
    expect(await remarksOf(user)).toEqual(['shown']);
    const { id, warnings: _, ...body } = host;
    await environment.sudo.modify(`/api/host/${id}`, { ...body, is_disabled: false });
    expect((await remarksOf(user)).toSorted()).toEqual(['hidden', 'shown']);
  });

  it('a subscription is sorted by priority', async () => {
    for (const priority of [5, -3, 100, 0]) await createHost(FIXED.one, { remark: `at ${priority}`, priority });
    expect(await remarksOf(user)).toEqual(['at -3', 'at 0', 'at 5', 'at 100']);
  });

  it('a subscription has every name once', async () => {
    for (const priority of [1, 2, 3]) await createHost(FIXED.one, { remark: 'same', priority });
    expect(new Set(await remarksOf(user)).size).toBe(3);
    expect((await remarksOf(user)).slice(0, 2)).toEqual(['same', 'same (2)']);
  });

  it('a subscription is found only at the URL of its user', async () => {
    const wrong = user.subscription_url.replace(
      /\.(.)([^.]*)$/,
      (_end, first: string, rest: string) => `.${first === 'A' ? 'B' : 'A'}${rest}`,
    );
    const answers = await Promise.all(
      [wrong, `${environment.sudo.url}/sub/nobody`, `${user.subscription_url}/nothing`].map(async (url) => {
        const answer = await fetch(url);
        return [answer.status, await answer.text()];
      }),
    );
    expect(answers[0]?.[0]).toBe(404);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  });
});

describe('each request of a subscription', () => {
  const TAG = 'picked inbound';
  let core: Core;
  let group: Group;
  let host: Host;
  let user: User;

  beforeAll(async () => {
    core = await createCore(
      vless(TAG, {
        port: '9001,9002',
        streamSettings: { network: 'ws', security: 'tls', wsSettings: {}, tlsSettings: {} },
      }),
    );
    group = await createGroup(TAG);
    host = await createHost(TAG, {
      address: ['a.example', 'b.example'],
      sni: ['a.sni.example', 'b.sni.example'],
      host: ['a.host.example', 'b.host.example'],
    });
    user = await createUser([group]);
  });
  afterAll(async () => {
    await environment.sudo.remove(`/api/user/${user.username}`);
    await environment.sudo.remove(`/api/host/${host.id}`);
    await environment.sudo.remove(`/api/group/${group.id}`);
    await deleteCore(core);
  });

  const modify = (rest: object) => {
    const { id, warnings: _, ...body } = host;
    return environment.sudo.modify(`/api/host/${id}`, { ...body, ...rest });
  };

  it('each request of a subscription selects an address, sni, host and port at random', async () => {
    // All of 40 requests miss one of two values once in 10^11 runs.
    const links = (await Promise.all(Array.from({ length: 40 }, () => linksOf(user)))).flat();
    const seen = {
      address: new Set(links.map(({ address }) => address)),
      sni: new Set(links.map(({ query }) => query['sni'])),
      host: new Set(links.map(({ query }) => query['host'])),
      port: new Set(links.map(({ port }) => port)),
    };
    expect(seen).toEqual({
      address: new Set(['a.example', 'b.example']),
      sni: new Set(['a.sni.example', 'b.sni.example']),
      host: new Set(['a.host.example', 'b.host.example']),
      port: new Set([9001, 9002]),
    });
  });

  it('each request of a subscription replaces * with a new salt', async () => {
    await modify({ address: ['*.example'], sni: ['*.sni.example'], host: ['*.host.example'], port: 7 });
    const links = (await Promise.all(Array.from({ length: 3 }, () => linksOf(user)))).flat();
    for (const { address, port, query } of links) {
      expect(port).toBe(7);
      expect(address).toMatch(/^[0-9a-zA-Z]{4,63}\.example$/);
      expect(query['sni']).toMatch(/^[0-9a-zA-Z]{4,63}\.sni\.example$/);
      expect(query['host']).toMatch(/^[0-9a-zA-Z]{4,63}\.host\.example$/);
    }
    expect(new Set(links.map(({ address }) => address)).size).toBe(3);
    expect(new Set(links.map(({ query }) => query['sni'])).size).toBe(3);
    expect(new Set(links.map(({ query }) => query['host'])).size).toBe(3);
  });
});
