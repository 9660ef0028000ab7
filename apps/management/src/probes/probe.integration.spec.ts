import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { enginePath, freePort } from '@rampart/testing';
import { MoreThan } from 'typeorm';
import { HostHealth } from '../hosts/host-health.entity.js';
import { HostHealthRepository } from '../hosts/host-health.repository.js';
import { HostProbe } from '../hosts/host-probe.entity.js';
import { TestManagement } from '../testing/test-management.js';
import { ProbeUser } from '../user-store/entities/probe-user.entity.js';
import { OwnMachine } from './own-machine.js';
import { ProbeSchedule } from './probe-schedule.js';
import { ProbeTarget, TARGET_BYTES } from './probe-target.js';
import type { ViewpointRequest } from './viewpoint.js';

const TAG = 'Shadowsocks TCP';

let management: TestManagement;
let closedPort: number;
beforeAll(async () => {
  closedPort = await freePort();
  management = await TestManagement.start({
    RAMPART_PROBE_ENGINE: enginePath(),
    RAMPART_PROBE_NETWORKS: '127.0.0.0/8',
  });
});
afterAll(() => management?.close());
beforeEach(async () => {
  await management.database.query('DELETE FROM hosts');
  await management.call('PUT', '/api/settings/probes', {});
});

const host = (more: object = {}) => ({
  ...{ remark: 'r', inbound_tag: TAG, priority: 1, address: ['127.0.0.1'], port: closedPort },
  ...more,
});
const create = async (more: object = {}) =>
  Number(Reflect.get(Object((await management.call('POST', '/api/host', host(more))).body), 'id'));
const health = async () => (await management.call('GET', '/api/hosts/health')).body as Record<string, unknown>[];
const CLOSED = {
  ...{ node_id: null, clients: ['xray', 'sing_box', 'clash_meta'], address: '127.0.0.1', server_name: '' },
  ...{ problem: 'closed_port', server_address: '127.0.0.1', handshake_ms: null, http_status: null },
};

describe('POST /api/hosts/probe', () => {
  it('tries a host that is not saved from this machine where no node can, and stores nothing', async () => {
    const { status, body } = await management.call('POST', '/api/hosts/probe', host());
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { host_id: null, status: 'fails', clients_left_out: [], omitted_choices: 0, results: [CLOSED] },
    });
    expect(Reflect.get(Object(body), 'message')).toBe(
      `From management, 127.0.0.1 port ${closedPort}: Nothing listens on port ${closedPort} of 127.0.0.1. Check that the node runs, that the port of the host is that of its inbound, and that a firewall or port forwarding lets it through.`,
    );
    expect(await management.database.manager.count(HostProbe)).toBe(0);
  });

  it('security row 9: enters no private network that the settings do not name', async () => {
    for (const address of ['10.0.0.1', '169.254.169.254', '::1', '192.168.0.1']) {
      const { body } = await management.call('POST', '/api/hosts/probe', host({ address: [address] }));
      expect(body).toMatchObject({
        status: 'fails',
        results: [
          {
            ...{ problem: 'private_address', server_address: null },
            advice: `${address} leads into a private network, which probes do not enter. Give the host its public address; where clients are in that network too, name it in RAMPART_PROBE_NETWORKS of management.`,
          },
        ],
      });
    }
  });

  it.each<[object, object]>([
    [{ inbound_tag: 'nowhere' }, { status: 400, body: { code: 'INBOUND_TAG_UNKNOWN' } }],
    [
      { address: [] },
      {
        status: 400,
        body: { code: 'HOST_NOT_USABLE', detail: 'The host is left out of subscriptions: the host has no address' },
      },
    ],
    [
      { clients: ['outline'] },
      { status: 422, body: { detail: { clients: "Input should be one of 'xray', 'sing_box', 'clash_meta'" } } },
    ],
    [{ remark: undefined }, { status: 422, body: { detail: { remark: 'Field required' } } }],
  ])('refuses %j', async (change, answer) => {
    expect(await management.call('POST', '/api/hosts/probe', host(change))).toMatchObject(answer);
  });

  it('says why there is no result where no machine can probe', async () => {
    const without = await TestManagement.start({ RAMPART_PROBE_ENGINE: '/nowhere/xray' });
    try {
      expect(await without.call('POST', '/api/hosts/probe', host())).toMatchObject({
        body: {
          ...{ status: 'unknown', results: [] },
          message:
            'Nothing could be probed: no other node is connected that can probe, and this machine has no engine. Connect a node at another address, or set RAMPART_PROBE_ENGINE.',
        },
      });
      // Nodes hear of no user for which there is no use.
      expect(await without.database.manager.countBy(ProbeUser, { revision: MoreThan(0n) })).toBe(0);
    } finally {
      await without.close();
    }
  });
});

describe('the time of a probe', () => {
  beforeAll(async () => {
    const realitySettings = {
      ...{ target: 'example.com:443', serverNames: ['example.com'], shortIds: ['ab12'] },
      privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
    };
    const streamSettings = { network: 'raw', security: 'reality', realitySettings };
    const inbound = { tag: 'reality', port: 443, protocol: 'vless', settings: { decryption: 'none' }, streamSettings };
    const config = { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
    expect(await management.call('POST', '/api/core', { name: 'reality', config })).toMatchObject({ status: 201 });
  });

  it('a probe of a REALITY host has 20 seconds, which its server may need after a start, and any other 10', async () => {
    const sent: ViewpointRequest[] = [];
    const probe = async (request: ViewpointRequest) => {
      sent.push(request);
      throw new Error('nothing is probed here');
    };
    const find = jest.spyOn(management.app.get(OwnMachine), 'find');
    find.mockResolvedValue({ nodeId: null, name: 'management', probe });
    try {
      const times: Record<string, number[]> = {};
      for (const inbound_tag of ['reality', TAG]) {
        sent.length = 0;
        const body = host({ inbound_tag, sni: ['example.com'] });
        expect(await management.call('POST', '/api/hosts/probe', body)).toMatchObject({ status: 200 });
        times[inbound_tag] = [...new Set(sent.map(({ timeoutMs }) => timeoutMs))];
      }
      expect(times).toEqual({ reality: [20_000], [TAG]: [10_000] });
    } finally {
      find.mockRestore();
    }
  });

  it('a probe of a REALITY host that is broken off is made once more, as its server does after a start; any other is not', async () => {
    const BROKEN_OFF = { stage: 'answer', error: 'connection reset by peer', httpStatus: 0 } as const;
    const DONE = { stage: 'done', error: '', httpStatus: 200 } as const;
    const FIGURES = { address: '192.0.2.7', handshakeMs: 9, firstByteMs: 12, bytes: 1, bytesPerSecond: 1 };
    const asked = new Set<string>();
    let attempts = 0;
    const probe = async ({ outbounds }: ViewpointRequest) => {
      attempts += 1;
      const outcome = asked.has(outbounds) ? DONE : BROKEN_OFF;
      asked.add(outbounds);
      return { ...FIGURES, ...outcome };
    };
    const find = jest.spyOn(management.app.get(OwnMachine), 'find');
    find.mockResolvedValue({ nodeId: null, name: 'management', probe });
    try {
      const found: Record<string, [problems: unknown[], attempts: number]> = {};
      for (const inbound_tag of ['reality', TAG]) {
        attempts = 0;
        asked.clear();
        const { body } = await management.call('POST', '/api/hosts/probe', host({ inbound_tag, sni: ['example.com'] }));
        const { results } = body as { results: { problem: string | null }[] };
        found[inbound_tag] = [[...new Set(results.map(({ problem }) => problem))], attempts / results.length];
      }
      expect(found).toEqual({ reality: [[null], 2], [TAG]: [['no_answer'], 1] });
    } finally {
      find.mockRestore();
    }
  });
});

describe('POST /api/hosts/{host_id}/probe', () => {
  it('stores its results, which the health of the host shows with its history', async () => {
    const id = await create({ is_disabled: true });
    expect(await health()).toMatchObject([{ host_id: id, status: 'unknown', checked_at: null, results: [] }]);
    for (const round of [1, 2]) {
      const { status, body } = await management.call('POST', `/api/hosts/${id}/probe`, { clients: ['xray'] });
      expect({ status, body }).toMatchObject({ status: 200, body: { host_id: id, status: 'fails' } });
      expect(await health()).toMatchObject([
        {
          ...{ host_id: id, remark: 'r', status: 'fails', failed_rounds: round, left_out: false },
          results: [{ ...CLOSED, clients: ['xray'] }],
          history: Array(round).fill({ node_id: null, passed: 0, failed: 1, handshake_ms: null }),
        },
      ]);
    }
    const [{ history }] = (await management.call('GET', '/api/hosts/health?history=1')).body as [{ history: object[] }];
    expect(history).toHaveLength(1);
  });

  it('a host that fails its probes has a warning in every answer, until a probe passes', async () => {
    const id = await create();
    await management.call('POST', `/api/hosts/${id}/probe`, {});
    const warning = { path: '', code: 'fails_probes', message: expect.stringContaining('Nothing listens on port') };
    expect((await management.call('GET', `/api/host/${id}`)).body).toMatchObject({ warnings: [warning] });
    expect((await management.call('GET', '/api/hosts')).body).toMatchObject([{ id, warnings: [warning] }]);
    expect((await management.call('PUT', `/api/host/${id}`, host())).body).toMatchObject({ warnings: [warning] });
    expect((await management.call('PUT', '/api/hosts', [])).body).toMatchObject([{ id, warnings: [warning] }]);
    await management.database.manager.update(HostHealth, { hostId: id }, { status: 'works' });
    expect((await management.call('GET', `/api/host/${id}`)).body).not.toHaveProperty('warnings');
  });

  it('answers 404 for an unknown host, and 403 for an admin without sudo', async () => {
    expect(await management.call('POST', '/api/hosts/4711/probe', {})).toMatchObject({
      ...{ status: 404, body: { code: 'HOST_NOT_FOUND' } },
    });
    const token = await management.plainAdmin('plain');
    for (const [method, path] of [
      ['POST', '/api/hosts/1/probe'],
      ['POST', '/api/hosts/probe'],
      ['GET', '/api/hosts/health'],
      ['GET', '/api/settings/probes'],
    ] as const) {
      expect((await management.call(method, path, method === 'POST' ? {} : undefined, token)).status).toBe(403);
    }
  });
});

describe('the settings of probes', () => {
  const DEFAULTS = {
    ...{ every_minutes: 0, after_change: true, viewpoints: 2, url: '', hide_failing: false, hide_after: 2 },
  };

  it('have defaults, and are replaced as a whole', async () => {
    expect((await management.call('GET', '/api/settings/probes')).body).toEqual(DEFAULTS);
    const changed = { every_minutes: 30, hide_failing: true, url: 'https://speed.example/1mb' };
    const expected = { status: 200, body: { ...DEFAULTS, ...changed } };
    expect(await management.call('PUT', '/api/settings/probes', changed)).toEqual(expected);
    expect(await management.call('GET', '/api/settings/probes')).toEqual(expected);
  });

  it.each<[object, object]>([
    [
      { hide_failing: true },
      { hide_failing: 'hide_failing needs every_minutes: a host returns only when it is probed again' },
    ],
    [{ every_minutes: 10_081 }, { every_minutes: 'Input should be an integer from 0 to 10080' }],
    [{ viewpoints: 0 }, { viewpoints: 'Input should be an integer from 1 to 10' }],
    [{ url: 'ftp://x' }, { url: 'Input should be an http or https URL' }],
    [{ after_change: 1 }, { after_change: 'Input should be true or false' }],
  ])('refuse %j', async (body, detail) => {
    expect(await management.call('PUT', '/api/settings/probes', body)).toEqual({
      ...{ status: 422, body: { detail, code: 'INVALID_FIELDS' } },
    });
  });
});

describe('the page that probes fetch', () => {
  it('is 1 MB for ten minutes, and unknown to everybody else', async () => {
    const target = management.app.get(ProbeTarget);
    const pathOf = (at: Date) => new URL(target.url(at)).pathname;
    const answer = await management.request('GET', pathOf(new Date()), undefined, '');
    expect([answer.status, answer.headers['cache-control'], answer.headers['content-length']]).toEqual([
      ...[200, 'no-store', String(TARGET_BYTES)],
    ]);
    const notFound = { status: 404, body: { detail: 'Not Found', code: 'NOT_FOUND' } };
    const old = pathOf(new Date(Date.now() - 601_000));
    for (const path of [
      old,
      '/sub/probe/x/bytes',
      '/sub/probe//bytes',
      `${pathOf(new Date())}x`,
      '/sub/probe/%00/bytes',
    ]) {
      expect((await management.request('GET', path, undefined, '')).status).toBe(404);
    }
    expect(await management.call('GET', old, undefined, '')).toEqual(notFound);
  });
});

describe(ProbeSchedule, () => {
  const run = () => management.app.get(ProbeSchedule).run();
  const rounds = async (id: number) =>
    (await management.database.manager.findOneBy(HostHealth, { hostId: id }))?.failedRounds;

  it('ProbeSchedule probes a host when what clients get of it has changed, and then no more', async () => {
    const id = await create();
    await run();
    expect(await rounds(id)).toBe(1);
    await run();
    await management.call('PUT', `/api/host/${id}`, host({ remark: 'only another name' }));
    await run();
    expect(await rounds(id)).toBe(1);
    await management.call('PUT', `/api/host/${id}`, host({ address: ['127.0.0.2'] }));
    await run();
    expect(await rounds(id)).toBe(2);
    await management.call('PUT', '/api/settings/probes', { after_change: false });
    await management.call('PUT', `/api/host/${id}`, host({ address: ['127.0.0.3'] }));
    await run();
    expect(await rounds(id)).toBe(2);
  });

  it('ProbeSchedule probes every enabled host at the interval of the settings, by default never', async () => {
    await management.call('PUT', '/api/settings/probes', { after_change: false });
    const id = await create();
    await create({ is_disabled: true });
    await run();
    expect(await management.database.manager.count(HostHealth)).toBe(0);
    await management.call('PUT', '/api/settings/probes', { after_change: false, every_minutes: 10 });
    await run();
    await run();
    expect(await management.database.manager.find(HostHealth)).toMatchObject([{ hostId: id, failedRounds: 1 }]);
    await management.database.query(`UPDATE host_health SET checked_at = now() - interval '10 minutes'`);
    await run();
    expect(await rounds(id)).toBe(2);
  });

  it('ProbeSchedule leaves a host to the replica that has claimed it, and looks again when the claim has ended without a round', async () => {
    const id = await create();
    const repository = management.app.get(HostHealthRepository);
    const { manager } = management.database;
    expect(await repository.claimHosts(manager, [id], 60, new Date())).toEqual([id]);
    expect(await repository.claimHosts(manager, [id], 60, new Date())).toEqual([]);
    await run();
    expect(await rounds(id)).toBe(0);
    await management.database.query(`UPDATE host_health SET claimed_until = now() - interval '1 second'`);
    await run();
    expect(await rounds(id)).toBe(1);
  });

  it('ProbeSchedule leaves a host that another replica has probed since the look began', async () => {
    const id = await create();
    const repository = management.app.get(HostHealthRepository);
    const { manager } = management.database;
    const lookedAt = new Date();
    const checkedAt = new Date(lookedAt.getTime() + 1);
    await repository.recordRound(manager, {
      ...{ hostId: id, checkedAt, status: 'fails', digest: 'd', message: 'm', results: [] },
    });
    expect(await repository.claimHosts(manager, [id], 60, lookedAt)).toEqual([]);
    expect(await repository.claimHosts(manager, [id], 60, checkedAt)).toEqual([id]);
  });
});

describe('hosts that fail', () => {
  const repository = () => management.app.get(HostHealthRepository);
  type Place = Partial<Pick<HostProbe, 'address' | 'problem'>>;
  const result = (nodeId: number | null, { address = 'a', problem = 'no_answer' }: Place = {}) => ({
    ...{ clients: ['xray'], address, port: 1, serverName: '', problem, error: '', advice: '', nodeId },
    ...{ serverAddress: '', handshakeMs: 0, firstByteMs: 0, bytesPerSecond: 0, httpStatus: 0 },
  });
  const SEEN_BY_TWO = [result(1), result(2)];
  const record = (
    hostId: number,
    status: 'works' | 'partly' | 'fails' | 'unknown',
    results = SEEN_BY_TWO,
    checkedAt = new Date(),
  ) =>
    repository().recordRound(management.database.manager, {
      ...{ hostId, checkedAt, status, digest: 'd', message: 'm', results },
    });
  const update = () => repository().updateLeftOut(management.database.manager, { failures: 2, withinSeconds: 600 });
  const leftOut = async () => [...(await repository().leftOutIds(management.database.manager))];

  it('a host is left out after its number of rounds, and returns with the first probe that passes', async () => {
    const [good, bad] = [await create(), await create()];
    await record(good, 'works');
    await record(bad, 'fails');
    expect([await update(), await leftOut()]).toEqual([0, []]);
    await record(bad, 'fails');
    expect([await update(), await leftOut()]).toEqual([1, [bad]]);
    expect(await update()).toBe(0);
    await record(bad, 'partly');
    expect([await update(), await leftOut()]).toEqual([1, []]);
  });

  it.each([
    ['one node, in however many rounds', [[result(1)], [result(1)], [result(1)]], false],
    ['two nodes in one round', [[result(1), result(2)], [result(1)]], true],
    ['two nodes one after the other', [[result(1)], [result(2)]], true],
    ['management itself', [[result(null)], [result(null)]], true],
    [
      'one node, while the other could not probe',
      [[result(1), result(2, { problem: 'not_probed' })], [result(1)]],
      false,
    ],
    [
      'one node, while another was refused by the target',
      [[result(1)], [result(2, { problem: 'target_refused' })]],
      false,
    ],
    [
      'one node at one address, and another node at another',
      [
        [result(1), result(2, { address: 'b' })],
        [result(1), result(2, { address: 'b' })],
      ],
      false,
    ],
    [
      'both nodes at both addresses',
      [
        [result(1), result(2, { address: 'b' })],
        [result(2), result(1, { address: 'b' })],
      ],
      true,
    ],
  ])('security row 70: a host that was seen to fail by %s is left out or not', async (_, seen, isLeftOut) => {
    const [good, bad] = [await create(), await create()];
    await record(good, 'works');
    for (const results of seen) await record(bad, 'fails', results);
    await update();
    expect(await leftOut()).toEqual(isLeftOut ? [bad] : []);
  });

  it('security row 70: what another node saw before the host worked, or long ago, confirms nothing', async () => {
    const [good, bad] = [await create(), await create()];
    await record(good, 'works');
    await record(bad, 'fails', [result(2)]);
    await record(bad, 'works', []);
    for (const _ of [1, 2]) await record(bad, 'fails', [result(1)]);
    expect([await update(), await leftOut()]).toEqual([0, []]);
    await record(bad, 'fails', [result(2)]);
    expect([await update(), await leftOut()]).toEqual([1, [bad]]);
    await management.database.query(
      `UPDATE host_probes SET checked_at = checked_at - interval '1 hour' WHERE node_id = 2`,
    );
    await record(bad, 'fails', [result(1)]);
    expect([await update(), await leftOut()]).toEqual([1, []]);
  });

  it('no host is left out where none passes: what fails then may be something else', async () => {
    const [one, other] = [await create(), await create()];
    for (const id of [one, other, one, other]) await record(id, 'fails');
    expect([await update(), await leftOut()]).toEqual([0, []]);
    await record(other, 'works');
    expect([await update(), await leftOut()]).toEqual([1, [one]]);
  });

  it('a host is left out no longer when its last probes are old or say nothing', async () => {
    const [good, bad] = [await create(), await create()];
    await record(good, 'works');
    for (const _ of [1, 2]) await record(bad, 'fails');
    await update();
    await management.database.query(
      `UPDATE host_health SET checked_at = now() - interval '1 hour' WHERE host_id = $1`,
      [bad],
    );
    expect([await update(), await leftOut()]).toEqual([1, []]);
    for (const _ of [1, 2]) await record(bad, 'fails');
    await update();
    await record(bad, 'unknown');
    expect([await update(), await leftOut()]).toEqual([1, []]);
  });

  it('GET /api/hosts/health has the newest rounds of each host, newest first, and in each the nodes by id', async () => {
    const { manager } = management.database;
    const [one, other] = [await create(), await create()];
    const result = (nodeId: number | null, problem: string | null, handshakeMs: number) => ({
      ...{ clients: ['xray'], address: 'a', port: 1, serverName: '', problem, error: '', advice: '', nodeId },
      ...{ serverAddress: '', handshakeMs, firstByteMs: handshakeMs * 2, bytesPerSecond: handshakeMs, httpStatus: 200 },
    });
    const start = Date.now() - 60_000;
    const at = (second: number) => new Date(start + second * 1000);
    for (const second of [1, 2, 3]) {
      const results = [result(null, null, 5), result(7, 'no_answer', 0), result(7, null, 9), result(3, null, second)];
      await repository().recordRound(manager, {
        ...{ hostId: one, checkedAt: at(second), status: 'partly', digest: '', message: '', results },
      });
    }
    await repository().recordRound(manager, {
      ...{ hostId: other, checkedAt: at(1), status: 'works', digest: '', message: '', results: [result(3, null, 0)] },
    });
    const round = (
      host_id: number,
      second: number,
      node_id: number | null,
      ms: number | null,
      passed = 1,
      failed = 0,
    ) => ({
      ...{ host_id, node_id, checked_at: at(second), passed, failed, handshake_ms: ms },
      ...{ first_byte_ms: ms && ms * 2, bytes_per_second: ms },
    });
    expect(await repository().findHistory(manager, [one, other], 2)).toEqual([
      ...[round(one, 3, 3, 3), round(one, 3, 7, 9, 1, 1), round(one, 3, null, 5)],
      ...[round(one, 2, 3, 2), round(one, 2, 7, 9, 1, 1), round(one, 2, null, 5)],
      round(other, 1, 3, null),
    ]);
    expect(await repository().findHistory(manager, [], 2)).toEqual([]);
  });

  it('two hundred results are kept of each host and viewpoint', async () => {
    const id = await create();
    const result = {
      ...{ clients: ['xray'], address: 'a', port: 1, serverName: '', problem: null, error: '', advice: '' },
      ...{ serverAddress: '', handshakeMs: 1, firstByteMs: 2, bytesPerSecond: 3, httpStatus: 200 },
    };
    for (const nodeId of [null, 7]) {
      for (const _ of [1, 2, 3]) {
        const results = Array(90).fill({ ...result, nodeId });
        await repository().recordRound(management.database.manager, {
          ...{ hostId: id, checkedAt: new Date(), status: 'works', digest: '', message: '', results },
        });
      }
    }
    const { manager } = management.database;
    expect(await manager.countBy(HostProbe, { nodeId: 7 })).toBe(200);
    expect(await manager.count(HostProbe)).toBe(400);
  });
});
