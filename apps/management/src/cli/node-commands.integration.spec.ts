import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import { ManagementWithNodeDoubles } from '../nodes/testing/management-with-node-doubles.js';
import { done, failed, type RampartRun, runRampart } from './testing/run-rampart.js';

let nodes: ManagementWithNodeDoubles;
let id: number;
beforeAll(async () => {
  nodes = await ManagementWithNodeDoubles.start();
  await nodes.management.openControlSocket();
  id = await nodes.connectedNode({ name: 'near' });
}, 60_000);
afterAll(() => nodes?.close());

const run = (...words: string[]): Promise<RampartRun> =>
  runRampart(words, { RAMPART_DATA_DIR: nodes.management.folder });

describe('rampart node list', () => {
  it('shows address, state and versions of each node', async () => {
    const { core_version, node_version } = await nodes.view(id);
    const version = node_version ?? '-';
    expect(await run('node', 'list')).toEqual(
      done(
        [
          `ID  NAME  ADDRESS      STATE      ENGINE   ${'VERSION'.padEnd(Math.max(7, version.length))}  MESSAGE`,
          `${id}   near  127.0.0.1:9  connected  ${core_version}  ${version}`,
          '',
        ].join('\n'),
      ),
    );
    const { stdout } = await run('node', 'list', '--json');
    expect(JSON.parse(stdout)).toEqual((await nodes.management.call('GET', '/api/nodes')).body);
  });
});

describe('rampart node reconnect', () => {
  const connections = () => nodes.connections.length;

  it.each([['near'], ['1'], ['--all']])('connects again: %s', async (which) => {
    const before = connections();
    const stdout =
      which === '--all'
        ? 'Management connects again to all nodes that are not disabled\n'
        : 'Management connects again to near\n';
    expect(await run('node', 'reconnect', which)).toEqual(done(stdout));
    await until((saw) => saw(connections()) > before);
    await nodes.waitForStatus(id, 'connected');
  });

  it('refuses an unknown node, no node, and nodes beside --all', async () => {
    expect(await run('node', 'reconnect', 'near', 'far')).toEqual(
      failed('There is no node "far": see "rampart node list".\n'),
    );
    const which = failed('Name the nodes to connect to, or give --all.\n');
    expect(await run('node', 'reconnect')).toEqual(which);
    expect(await run('node', 'reconnect', 'near', '--all')).toEqual(which);
  });
});

describe('rampart node logs', () => {
  it('prints lines without control characters, and ends after as many as asked for', async () => {
    nodes.double(id).lines = ['one', 'two \u001b[2J', 'three'];
    expect(await run('node', 'logs', 'near', '--lines', '2')).toEqual(done('one\ntwo \\u001b[2J\n'));
    const { stdout } = await run('node', 'logs', 'near', '--lines', '2', '--json');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ line: 'one' }, { line: 'two \u001b[2J' }]);
  });

  it('says why a log cannot be read', async () => {
    expect(await run('node', 'logs', 'far')).toEqual(failed('There is no node "far": see "rampart node list".\n'));
    // The worker of the node asks at times too, and gets one of the failures then.
    for (let time = 0; time < 5; time += 1) nodes.double(id).fail('info', 'before', 'UNREACHABLE', 'cannot reach node');
    expect(await run('node', 'logs', 'near')).toEqual(failed('cannot reach node\n'));
  });
});

describe('rampart node disable, enable and remove', () => {
  it('rampart node disable stops a node until rampart node enable', async () => {
    const stops = nodes.double(id).stops;
    expect(await run('node', 'disable', 'near')).toEqual(done('near is disabled\n'));
    await until((saw) => saw(nodes.double(id).stops) > stops);
    expect(await nodes.view(id)).toMatchObject({ status: 'disabled' });
    expect(await run('node', 'enable', `${id}`)).toEqual(done('Management connects to near again\n'));
    await nodes.waitForStatus(id, 'connected');
  });

  it('rampart node revert-usage takes back what a node has reported, or tells what it would', async () => {
    const { fixture } = nodes;
    const bob = await fixture.createUser('bob', await fixture.createGroup());
    nodes.double(id).traffic(nodeEmail(bob.id, 'bob'), 5n, 7n);
    await until(async (saw) => saw(await fixture.usedTraffic(bob)) === 12);
    const from = `${new Date(Date.now() - 3_600_000).toISOString().slice(0, 13)}:00:00Z`;
    const reported = (what: string) =>
      new RegExp(
        `^${what} what near has reported\\nhours +\\S+ to \\S+\\nusers +1, 12 bytes\\n` +
          'served again +0\\nadmins +0, 0 bytes\\nnode +5 bytes up, 7 bytes down\\n$',
      );
    const dry = await run('node', 'revert-usage', 'near', '--from', from, '--dry-run');
    expect(dry).toEqual({ ...done(''), stdout: expect.stringMatching(reported('Would take back')) });
    expect(await fixture.usedTraffic(bob)).toBe(12);
    const real = await run('node', 'revert-usage', 'near', '--from', from);
    expect(real).toEqual({ ...done(''), stdout: expect.stringMatching(reported('Took back')) });
    expect(await fixture.usedTraffic(bob)).toBe(0);
  });

  it('rampart node remove deletes a node', async () => {
    const other = await nodes.connectedNode({ name: 'gone' });
    expect(await run('node', 'remove', 'far')).toEqual(failed('There is no node "far": see "rampart node list".\n'));
    expect(await run('node', 'remove', 'gone')).toEqual(done('Deleted the node gone\n'));
    const { body } = await nodes.management.call('GET', '/api/nodes');
    expect((body as { id: number }[]).map((node) => node.id)).not.toContain(other);
  });
});
