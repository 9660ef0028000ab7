import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import type { NodeClientErrorCode } from '@rampart/node-client';
import { until } from '@rampart/testing';
import type { ChangeEvent } from '../../change-events/change-event.js';
import { ChangeFeed } from '../../change-events/change-feed.js';
import { CoreRepository } from '../../core-store/core.repository.js';
import { DEFAULT_CORE, DEFAULT_CORE_ID } from '../../core-store/default-core.js';
import { NodeChecks } from '../../doctor/check-nodes.js';
import { ManagementWithNodeDoubles } from '../testing/management-with-node-doubles.js';

let nodes: ManagementWithNodeDoubles;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
});
afterAll(() => nodes?.close());

const problemOf = async (id: number) => {
  const { status, message, message_code } = await nodes.view(id);
  return { status, message, message_code };
};
const restart = () => nodes.management.call('POST', '/api/core/1/restart');

describe('the kind of the problem of a node', () => {
  it.each<[NodeClientErrorCode, string]>([
    ['CONFIG_REFUSED', 'CORE_REFUSED'],
    ['START_FAILED', 'START_FAILED'],
    ['UNREACHABLE', 'UNREACHABLE'],
  ])('whose start ends with %s is %s until it is connected again', async (code, kind) => {
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const start = double.start.bind(double);
    let refuses = true;
    double.start = (backend) => {
      if (refuses) double.fail('start', 'before', code, 'the node says no');
      return start(backend);
    };
    await restart();
    await nodes.waitForStatus(id, 'error');
    expect(await problemOf(id)).toEqual({ status: 'error', message: 'the node says no', message_code: kind });
    refuses = false;
    await nodes.waitForStatus(id, 'connected');
    expect(await problemOf(id)).toEqual({ status: 'connected', message: null, message_code: null });
    await nodes.management.call('DELETE', `/api/node/${id}`);
  });

  it('security row 38: a node that reports traffic of users without access to it says so, and readers of events hear of it', async () => {
    const { management, fixture } = nodes;
    const happened: ChangeEvent[] = [];
    const leave = management.app
      .get(ChangeFeed)
      .add({ happened: (event) => happened.push(event), missed: () => undefined });
    const id = await nodes.connectedNode();
    const eve = await fixture.createUser('eve', await fixture.createGroup(['another inbound']));
    nodes.double(id).traffic(nodeEmail(eve.id, 'eve'), 5n, 7n);
    await until(async (saw) => saw(await nodes.view(id)).message_code !== null);
    const message = 'it reported traffic that is not counted: 12 B of 1 user without access to it';
    expect(await nodes.view(id)).toMatchObject({
      status: 'connected',
      message,
      message_code: 'TRAFFIC_IMPLAUSIBLE',
      implausible_count: 1,
      implausible_found_at: expect.any(String),
    });
    const about = happened.filter(({ type, key }) => type === 'node' && key === `${id}`).map(({ action }) => action);
    expect(about).toEqual(expect.arrayContaining(['implausible_traffic', 'state']));
    leave();
    const { name } = await nodes.view(id);
    const checks = await management.app.get(NodeChecks).run();
    expect(checks.filter((check) => check.name === `node ${name}`)).toEqual([
      {
        name: `node ${name}`,
        state: 'wrong',
        seen: message,
        advice: expect.stringContaining('rampart node revert-usage'),
      },
    ]);
    const starts = nodes.double(id).starts.length;
    await management.call('POST', `/api/node/${id}/reconnect`);
    await until((saw) => saw(nodes.double(id).starts).length > starts);
    await nodes.waitForStatus(id, 'connected');
    expect(await problemOf(id)).toEqual({ status: 'connected', message, message_code: 'TRAFFIC_IMPLAUSIBLE' });
    await management.database.query(`UPDATE nodes SET implausible_found_at = now() - interval '25 hours'`);
    await management.call('POST', `/api/node/${id}/reconnect`);
    await until(async (saw) => saw(await nodes.view(id)).message === null);
    await nodes.waitForStatus(id, 'connected');
    expect(await problemOf(id)).toEqual({ status: 'connected', message: null, message_code: null });
    await management.call('DELETE', `/api/node/${id}`);
  });

  it('security row 83: whose engine runs something else than it was sent is told, and readers of events hear of it', async () => {
    const { management } = nodes;
    const happened: ChangeEvent[] = [];
    const leave = management.app
      .get(ChangeFeed)
      .add({ happened: (event) => happened.push(event), missed: () => undefined });
    const id = await nodes.connectedNode();
    const double = nodes.double(id);
    const warning = 'the engine kept failing: the configuration and users of yesterday are used';
    const frank = await nodes.fixture.createUser('frank', await nodes.fixture.createGroup());
    double.poison.set(nodeEmail(frank.id, 'frank'), 'a reason');
    double.warnings = [warning];
    double.fallback = true;
    await management.call('POST', `/api/node/${id}/reconnect`);
    await until(async (saw) => saw(await nodes.view(id)).message_code !== null);
    const { status, message, message_code } = await nodes.view(id);
    const refusal = `1 users refused: ${frank.id}.frank (a reason)`;
    expect([status, message, message_code]).toEqual(['connected', `${warning}\n${refusal}`, 'ENGINE_FALLBACK']);
    await until((saw) =>
      saw(happened).some(({ type, key, action }) => type === 'node' && key === `${id}` && action === 'state'),
    );
    leave();
    const { name } = await nodes.view(id);
    const checks = await management.app.get(NodeChecks).run();
    expect(checks.filter((check) => check.name === `node ${name}`)).toMatchObject([
      {
        state: 'wrong',
        seen: expect.stringContaining(warning),
        advice: expect.stringContaining('rampart node reconnect'),
      },
    ]);
    double.poison.clear();
    double.warnings = [];
    await management.call('POST', `/api/node/${id}/reconnect`);
    const unexplained = 'the engine kept failing with what it was sent, so the last state that worked is used';
    await until(async (saw) => saw(await nodes.view(id)).message === unexplained);
    double.fallback = false;
    await management.call('POST', `/api/node/${id}/reconnect`);
    await until(async (saw) => saw(await nodes.view(id)).message_code === null);
    await nodes.waitForStatus(id, 'connected');
    expect(await problemOf(id)).toEqual({ status: 'connected', message: null, message_code: null });
    await management.call('DELETE', `/api/node/${id}`);
  });

  it('whose stored core cannot be sent is that of a refused core', async () => {
    const id = await nodes.connectedNode();
    const { app, database } = nodes.management;
    const core = { ...DEFAULT_CORE, config: { inbounds: 5 } };
    await app.get(CoreRepository).replaceCore(database.manager, DEFAULT_CORE_ID, core);
    await restart();
    await nodes.waitForStatus(id, 'error');
    expect(await problemOf(id)).toMatchObject({
      message: expect.stringContaining('inbounds'),
      message_code: 'CORE_REFUSED',
    });
  });

  it('goes with its message when the node is disabled', async () => {
    const { body } = await nodes.management.call('GET', '/api/nodes');
    const [{ id }] = body as [{ id: number }];
    await nodes.management.call('PUT', `/api/node/${id}`, { status: 'disabled' });
    expect(await problemOf(id)).toEqual({ status: 'disabled', message: null, message_code: null });
  });
});
