import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nodeEmail } from '@rampart/domain';
import { until } from '@rampart/testing';
import { BulkOperations } from '../bulk/bulk-operations.service.js';
import { CertificateDirectory } from '../core-store/certificate-directory.js';
import { CoreReader } from '../core-store/core-reader.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { GroupBulkService } from '../group-members/group-bulk.service.js';
import { NodeSyncWorker } from '../nodes/sync/node-sync.worker.js';
import { NodeDouble } from '../nodes/testing/node-double.js';
import { INBOUND_TAG, NodeFixture, QUICK_TIMING } from '../nodes/testing/node-fixture.js';
import { createMigratedDatabase } from '../testing/migrated-database.js';
import type { User } from '../user-store/entities/user.entity.js';
import type { Group } from './group.entity.js';
import { GroupRepository } from './group.repository.js';
import { GroupService } from './group.service.js';

const ROOT = { id: 1, username: 'root', isSudo: true };

const node = new NodeDouble();
let worker: NodeSyncWorker;
let groups: GroupService;
let bulk: GroupBulkService;
let [one, two]: Group[] = [];
let [alice, bob]: User[] = [];

beforeAll(async () => {
  const database = await createMigratedDatabase();
  const fixture = new NodeFixture(database);
  const repository = new GroupRepository();
  const operations = new BulkOperations(database);
  groups = new GroupService(
    database,
    repository,
    new InboundCatalogue(database, fixture.cores, new CoreReader(new CertificateDirectory(undefined))),
    operations,
  );
  bulk = new GroupBulkService(database, repository, operations);
  [one, two] = [await fixture.createGroup(), await fixture.createGroup()];
  [alice, bob] = [await fixture.createUser('alice', one), await fixture.createUser('bob', two)];
  worker = new NodeSyncWorker((await fixture.createNode()).id, fixture.context(node), QUICK_TIMING);
});
afterAll(() => worker?.stop());

/** Waits until the node serves exactly these users. */
async function served(...users: (User | undefined)[]): Promise<void> {
  const emails = users.map((user) => user && nodeEmail(user.id, user.username));
  worker.wake();
  await until(
    (saw) => saw(node.users).size === emails.length && saw(emails).every((email) => email && node.users.has(email)),
  );
}

it('a node gets every change of groups without a Start', async () => {
  const ids = { one: one!.id, two: two!.id };
  await served(alice, bob);
  await groups.modify(ROOT, ids.one, { is_disabled: true });
  await served(bob);
  await groups.modify(ROOT, ids.one, { is_disabled: false });
  await served(alice, bob);
  await groups.modify(ROOT, ids.two, { inbound_tags: null });
  await served(alice);
  await groups.modify(ROOT, ids.two, { inbound_tags: [INBOUND_TAG] });
  await served(alice, bob);
  await bulk.removeGroups(ROOT, { group_ids: [ids.one, ids.two] });
  await served();
  await bulk.addGroups(ROOT, { group_ids: [ids.one, ids.two], users: [alice!.id] });
  await bulk.addGroups(ROOT, { group_ids: [ids.two], users: [bob!.id] });
  await served(alice, bob);
  await groups.delete(ROOT, ids.two);
  await served(alice);
  await groups.delete(ROOT, ids.one);
  await served();
  expect(node.starts).toHaveLength(1);
});
