import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { until } from '@rampart/testing';
import type { DataSource } from 'typeorm';
import { createMigratedDatabase } from '../../testing/migrated-database.js';
import type { Node } from '../store/node.entity.js';
import { NodeFixture } from '../testing/node-fixture.js';
import { NodeSyncRepository } from './node-sync.repository.js';
import { SyncedRevisions } from './synced-revisions.js';

describe(SyncedRevisions.name, () => {
  let database: DataSource;
  let fixture: NodeFixture;
  let nodes: [Node, Node];
  const repository = new NodeSyncRepository();

  beforeEach(async () => {
    database = await createMigratedDatabase();
    fixture = new NodeFixture(database);
    nodes = [await fixture.createNode(), await fixture.createNode()];
  });

  const stored = async () => [
    (await fixture.readNode(nodes[0].id)).syncedRevision,
    (await fixture.readNode(nodes[1].id)).syncedRevision,
  ];

  it('stores the last revision of each node by one statement, and forgets deleted nodes', async () => {
    const write = jest.spyOn(repository, 'setSyncedRevisions');
    const revisions = new SyncedRevisions(database, repository);
    for (const revision of [1n, 2n, 3n]) for (const { id } of nodes) revisions.set(id, revision);
    revisions.set(4_711, 3n);
    await revisions.settle();
    expect(await stored()).toEqual([3n, 3n]);
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('stores what it could not store with the next revision of any node', async () => {
    const write = jest.spyOn(repository, 'setSyncedRevisions').mockRejectedValueOnce(new Error('no database'));
    const revisions = new SyncedRevisions(database, repository);
    revisions.set(nodes[0].id, 4n);
    await revisions.settle();
    expect(await stored()).toEqual([0n, 0n]);
    revisions.set(nodes[1].id, 5n);
    await revisions.settle();
    expect(await stored()).toEqual([4n, 5n]);
    write.mockRestore();
  });

  it('leaves a node as it is that another replica has brought further meanwhile', async () => {
    const revisions = new SyncedRevisions(database, repository);
    for (const { id } of nodes) revisions.set(id, 5n);
    await repository.markStarted(database.manager, nodes[0].id, { revision: 9n, inboundTags: [] });
    await revisions.settle();
    expect(await stored()).toEqual([9n, 5n]);
  });

  it('does not wait for a node whose row is locked while its traffic is recorded', async () => {
    const revisions = new SyncedRevisions(database, repository);
    await database.transaction(async (manager) => {
      await manager.query('SELECT FROM nodes WHERE id = $1 FOR NO KEY UPDATE', [nodes[0].id]);
      for (const { id } of nodes) revisions.set(id, 5n);
      await until(async (saw) => saw(await stored())[1] === 5n);
      expect(await stored()).toEqual([0n, 5n]);
    });
    await revisions.settle();
    expect(await stored()).toEqual([5n, 5n]);
  });
});
