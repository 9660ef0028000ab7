import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ProbeResponse } from '@rampart/node-client';
import { until } from '@rampart/testing';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import { INBOUND_TAG } from '../nodes/testing/node-fixture.js';

const [VICTIM, GOOD] = ['192.0.2.7', '192.0.2.8'];
const WORKS = ProbeResponse.fromPartial({ stage: 'done', httpStatus: 200, handshakeMs: 9, firstByteMs: 12 });
const FAILS = ProbeResponse.fromPartial({ stage: 'answer', error: 'connection reset by peer' });
/** A core without the inbound that is probed. */
const OTHER_CORE = {
  inbounds: [
    {
      ...{ tag: 'another inbound', listen: '127.0.0.1', port: 1, protocol: 'shadowsocks' },
      settings: { clients: [], network: 'tcp,udp' },
    },
  ],
  outbounds: [{ tag: 'direct', protocol: 'freedom' }],
};

interface Sent {
  readonly outbounds: string;
}

describe('a node that probes the hosts of others', () => {
  let nodes: ManagementWithNodeDoubles;
  let [hostile, honest, elsewhere] = [0, 0, 0];
  let [victim, good] = [0, 0];

  beforeAll(async () => {
    nodes = await ManagementWithNodeDoubles.start({ RAMPART_PROBE_ENGINE: '/nowhere/xray' });
    const { body } = await nodes.management.call('POST', '/api/core', { name: 'other', config: OTHER_CORE });
    hostile = await nodes.connectedNode({ address: '127.0.0.2' });
    honest = await nodes.connectedNode({ address: '127.0.0.3' });
    elsewhere = await nodes.connectedNode({ address: '127.0.0.4', core_config_id: Object(body).id });
    [victim, good] = [await create(VICTIM), await create(GOOD)];
    const settings = { every_minutes: 60, after_change: false, viewpoints: 1, hide_failing: true, hide_after: 2 };
    expect((await nodes.management.call('PUT', '/api/settings/probes', settings)).status).toBe(200);
    for (const id of [honest, elsewhere]) answers(id, () => WORKS);
  });
  afterAll(() => nodes?.close());
  afterEach(() => answers(hostile, () => WORKS));

  const create = async (...address: string[]): Promise<number> => {
    const host = { remark: address[0], inbound_tag: INBOUND_TAG, priority: 1, address, port: 443 };
    return Object((await nodes.management.call('POST', '/api/host', host)).body).id;
  };
  /** Has a node answer probes; the first question of a round has no outbounds. */
  const answers = (id: number, answer: (sent: Sent) => ProbeResponse | Promise<ProbeResponse>) => {
    Object.assign(nodes.double(id), { probe: async (sent: Sent) => (sent.outbounds === '' ? FAILS : answer(sent)) });
  };
  const probe = async (id: number, options = {}) =>
    Object((await nodes.management.call('POST', `/api/hosts/${id}/probe`, options)).body).status;
  const isHidden = async () => {
    const { body } = await nodes.management.call('GET', '/api/hosts/health');
    return (body as { host_id: number; left_out: boolean }[]).find(({ host_id }) => host_id === victim)?.left_out;
  };
  const passwordOf = ({ outbounds }: Sent): string => /"password":"([^"]+)"/.exec(outbounds)?.[1] ?? '';
  const probeUsers = (id: number) => [...nodes.double(id).users.keys()].filter((email) => email.endsWith('.probe'));
  const areRemoved = () => until((saw) => saw([hostile, honest, elsewhere]).every((id) => probeUsers(id).length === 0));

  it('security row 70: a node that lies about a host of others does not have it left out', async () => {
    answers(hostile, ({ outbounds }) => (outbounds.includes(VICTIM) ? FAILS : WORKS));
    expect(await probe(good)).toBe('works');
    for (const _ of [1, 2, 3, 4]) expect(await probe(victim, { node_ids: [hostile] })).toBe('fails');
    expect(await isHidden()).toBe(false);
    answers(honest, ({ outbounds }) => (outbounds.includes(VICTIM) ? FAILS : WORKS));
    expect(await probe(victim, { node_ids: [honest] })).toBe('fails');
    expect(await isHidden()).toBe(true);
    answers(honest, () => WORKS);
    expect(await probe(victim, { node_ids: [honest] })).toBe('works');
    expect(await isHidden()).toBe(false);
  });

  it('security row 70: what a node learns of the user of probes ends with the round, and is of that round alone', async () => {
    const known: string[] = [];
    const open: (() => void)[] = [];
    answers(hostile, async (sent) => {
      known.push(passwordOf(sent));
      await new Promise<void>((resolve) => open.push(resolve));
      return WORKS;
    });
    const rounds = [probe(victim, { node_ids: [hostile], clients: ['xray'] })];
    await until((saw) => saw(open).length === 1);
    rounds.push(probe(good, { node_ids: [hostile], clients: ['xray'] }));
    await until((saw) => saw(open).length === 2);
    expect(new Set(known).size).toBe(2);
    expect(probeUsers(honest)).toHaveLength(2);
    const [first] = probeUsers(honest);
    expect(nodes.double(honest).users.get(first!)?.proxies?.shadowsocks?.password).toBe(known[0]);
    for (const end of open) end();
    expect(await Promise.all(rounds)).toEqual(['works', 'works']);
    await areRemoved();
    answers(hostile, (sent) => {
      known.push(passwordOf(sent));
      return WORKS;
    });
    await probe(victim, { node_ids: [hostile], clients: ['xray'] });
    await areRemoved();
    expect(new Set(known).size).toBe(3);
    expect(known).not.toContain('');
  });

  it('security row 90: a node that keeps many probes open holds up no probe of another node', async () => {
    const many = await create(...Array.from({ length: 12 }, (_, at) => `192.0.2.${100 + at}`));
    const open: (() => void)[] = [];
    answers(hostile, async () => {
      await new Promise<void>((resolve) => open.push(resolve));
      return WORKS;
    });
    const round = probe(many, { node_ids: [hostile], clients: ['xray'] });
    await until((saw) => saw(open).length === 2);
    expect(await probe(good, { node_ids: [honest] })).toBe('works');
    // All others of its rounds wait for these two.
    expect(open).toHaveLength(2);
    answers(hostile, () => WORKS);
    for (const end of open) end();
    expect(await round).toBe('works');
    expect((await nodes.management.call('DELETE', `/api/host/${many}`)).status).toBe(204);
  });

  it('security row 70: a node without any inbound of the probed hosts never hears of the user of probes', async () => {
    await probe(victim);
    await areRemoved();
    const told = (id: number) => nodes.double(id).told.filter(({ email }) => email.endsWith('.probe')).length;
    expect(told(honest)).toBeGreaterThan(0);
    expect(told(elsewhere)).toBe(0);
  });
});
