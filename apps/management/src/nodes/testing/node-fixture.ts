import { Logger } from '@nestjs/common';
import { newProxySettings, nodeEmail } from '@rampart/domain';
import type { NodeClient } from '@rampart/node-client';
import type { DataSource } from 'typeorm';
import { CertificateDirectory } from '../../core-store/certificate-directory.js';
import type { Core } from '../../core-store/core.entity.js';
import { CoreRepository } from '../../core-store/core.repository.js';
import { CoreReader } from '../../core-store/core-reader.js';
import { DEFAULT_CORE_ID } from '../../core-store/default-core.js';
import { nextRevision } from '../../database/revision.js';
import { readManagementEnv } from '../../env/management-env.js';
import { Group } from '../../groups/group.entity.js';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { Keys } from '../../keys/keys.js';
import { TrafficRepository } from '../../usage/traffic.repository.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserGroup } from '../../user-store/entities/user-group.entity.js';
import { UserProxySettings } from '../../user-store/entities/user-proxy-settings.entity.js';
import { UserTombstone } from '../../user-store/entities/user-tombstone.entity.js';
import { raiseRevisionOf } from '../../user-store/served/raise-revision.js';
import { AuthorityRepository } from '../authority/authority.repository.js';
import { AuthorityTiming } from '../authority/authority-timing.js';
import { NodeCertificates } from '../authority/node-certificates.js';
import { NameLookups } from '../connection/name-lookups.js';
import { NodeAddresses } from '../connection/node-addresses.js';
import { NodeConnector } from '../connection/node-connector.js';
import { Node } from '../store/node.entity.js';
import { NodeCoreRepository } from '../store/node-core.repository.js';
import { NodeTotalsRepository } from '../store/node-totals.repository.js';
import { NodeSyncRepository } from '../sync/node-sync.repository.js';
import { NodeSyncContext } from '../sync/node-sync-context.js';
import type { NodeTiming } from '../sync/node-timing.js';
import { StartRequestBuilder } from '../sync/start-request-builder.js';
import { CounterReadingRepository } from '../traffic/counter-reading.repository.js';
import { NodeTrafficRepository } from '../traffic/node-traffic.repository.js';
import { TrafficStores } from '../traffic/traffic-stores.js';

export const INBOUND_TAG = 'Shadowsocks TCP';

/** Short intervals, so that tests wait for events and not for timers. */
export const QUICK_TIMING: NodeTiming = {
  healthMs: 40,
  collectMs: 20,
  compareMs: 60_000,
  certificatesMs: 60_000,
  renewalRetryMs: 60_000,
  scanMs: 50,
  firstRetryDelayMs: 10,
  maxRetryDelayMs: 40,
  rereadMs: 20,
  longCallMs: 120_000,
  firstSetPauseMs: 1,
  maxSetPauseMs: 20,
  setForgottenMs: 600_000,
};

const TEST_KEY = Buffer.alloc(32, 7);
const TEST_CIPHER = new AtRestCipher(TEST_KEY);

export const nodeCertificates = (database: DataSource, timing = new AuthorityTiming()): NodeCertificates => {
  const keys = new Keys({ jwt: TEST_KEY, subscription: TEST_KEY, atRest: TEST_KEY });
  return new NodeCertificates(database, new AuthorityRepository(), TEST_CIPHER, keys, timing);
};

/** Certificates for a connector of nodes that have certificates of their own. */
export const NO_ENROLMENTS = { trustOfEnrolled: () => Promise.resolve(undefined) };

/** Connects to node doubles instead of nodes. */
export class DoubleConnector extends NodeConnector {
  constructor(private readonly clients: (nodeId: number) => NodeClient) {
    super(TEST_CIPHER, new NodeAddresses(readManagementEnv({}), new NameLookups()), NO_ENROLMENTS);
  }

  override connect(node: Node): Promise<NodeClient> {
    return Promise.resolve(this.clients(node.id));
  }
}

/** @param lineRate by default as fast as can be set, so that tests may report much at once */
export const trafficStores = (database: DataSource, lineRate = 1_000_000): TrafficStores =>
  new TrafficStores(
    database,
    new NodeTrafficRepository(),
    new NodeTotalsRepository(),
    new CounterReadingRepository(),
    new TrafficRepository(),
    readManagementEnv({ RAMPART_NODE_LINE_RATE: String(lineRate) }),
  );

/** Nodes, groups and users on a real database, changed as the services change them. */
export class NodeFixture {
  readonly cores = new CoreRepository(TEST_CIPHER);
  readonly nodeCores = new NodeCoreRepository(TEST_CIPHER);

  /** @param certs the directory of certificate files */
  constructor(
    readonly database: DataSource,
    private readonly certs?: string,
  ) {
    Logger.overrideLogger(['fatal']);
  }

  /** @param client of every node, or a function that opens a new client for each connection */
  context(client: NodeClient | (() => NodeClient)): NodeSyncContext {
    return this.contextOf(new DoubleConnector(() => (typeof client === 'function' ? client() : client)));
  }

  /** @param database of the workers, where it is another connection to the same database */
  contextOf(connector: NodeConnector, database = this.database): NodeSyncContext {
    return new NodeSyncContext(
      database,
      connector,
      this.startRequestBuilder(),
      new NodeSyncRepository(),
      this.nodeCores,
      trafficStores(database),
      nodeCertificates(database),
    );
  }

  startRequestBuilder(): StartRequestBuilder {
    const reader = new CoreReader(new CertificateDirectory(this.certs));
    return new StartRequestBuilder(this.database, reader, this.cores, this.nodeCores);
  }

  /** The core of new nodes. */
  async readCore(manager = this.database.manager): Promise<Core> {
    await this.cores.insertDefaultCore(manager);
    const core = await this.cores.findCore(manager, DEFAULT_CORE_ID);
    if (!core) throw new Error('there is no default core');
    return core;
  }

  /** Replaces members of the configuration of that core, as nobody tells its nodes. */
  async changeCore(members: object, manager = this.database.manager): Promise<void> {
    const core = await this.readCore(manager);
    await this.cores.replaceCore(manager, core.id, { ...core, config: { ...core.config, ...members } });
  }

  async createNode(values: Partial<Node> = {}): Promise<Node> {
    const { manager } = this.database;
    await this.cores.insertDefaultCore(manager);
    const { id } = await manager.save(
      manager.create(Node, {
        name: `node ${Math.random()}`,
        address: '127.0.0.1',
        port: 62_050,
        connectionType: 'grpc',
        serverCa: 'none',
        keepAlive: 60,
        coreConfigId: DEFAULT_CORE_ID,
        apiKeyEncrypted: Buffer.alloc(0),
        inboundTags: [INBOUND_TAG],
        ...values,
      }),
    );
    return this.readNode(id);
  }

  readNode(id: number): Promise<Node> {
    return this.database.manager.findOneByOrFail(Node, { id });
  }

  createGroup(inboundTags = [INBOUND_TAG]): Promise<Group> {
    const { manager } = this.database;
    return manager.save(manager.create(Group, { name: `group${Math.random()}`, inboundTags }));
  }

  /** Creates users in one transaction, so all of them have the same revision. */
  async createUsers(names: readonly string[], group: Group): Promise<User[]> {
    return this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      const proxySettings = newProxySettings((bytes) => Buffer.alloc(bytes, 1));
      const users = await manager.save(
        names.map((username) => manager.create(User, { username, status: 'active' })),
        { chunk: 500 },
      );
      await manager.insert(
        UserProxySettings,
        users.map(({ id }) => ({ userId: id, proxySettings })),
      );
      await manager.insert(
        UserGroup,
        users.map(({ id }) => ({ userId: id, groupId: group.id })),
      );
      await raiseRevisionOf(
        manager,
        revision,
        users.map(({ id }) => id),
      );
      return users;
    });
  }

  async createUser(name: string, group: Group): Promise<User> {
    const [user] = await this.createUsers([name], group);
    return user!;
  }

  async changeUser(user: User, values: Partial<User>): Promise<bigint> {
    return this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await manager.update(User, { id: user.id }, values);
      await raiseRevisionOf(manager, revision, [user.id]);
      return revision;
    });
  }

  /** Takes a user out of all groups but this one. */
  async moveUser({ id }: User, group: Group): Promise<bigint> {
    return this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await manager.delete(UserGroup, { userId: id });
      await manager.insert(UserGroup, { userId: id, groupId: group.id });
      await raiseRevisionOf(manager, revision, [id]);
      return revision;
    });
  }

  async deleteUser({ id, username }: User): Promise<bigint> {
    return this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await manager.insert(UserTombstone, { userId: id, email: nodeEmail(id, username), revision });
      await manager.delete(User, { id });
      return revision;
    });
  }

  async usedTraffic({ id }: User): Promise<number> {
    return (await this.database.manager.findOneByOrFail(User, { id })).usedTraffic;
  }
}
