import { Logger } from '@nestjs/common';
import { newProxySettings, nodeEmail } from '@rampart/domain';
import type { NodeClient } from '@rampart/node-client';
import type { DataSource } from 'typeorm';
import { CertificateDirectory } from '../../core-store/certificate-directory.js';
import { CoreReader } from '../../core-store/core-reader.js';
import { nextRevision } from '../../database/revision.js';
import { readManagementEnv } from '../../env/management-env.js';
import { Group } from '../../groups/group.entity.js';
import { AtRestCipher } from '../../keys/at-rest-cipher.js';
import { User } from '../../user-store/entities/user.entity.js';
import { UserGroup } from '../../user-store/entities/user-group.entity.js';
import { UserProxySettings } from '../../user-store/entities/user-proxy-settings.entity.js';
import { UserTombstone } from '../../user-store/entities/user-tombstone.entity.js';
import { raiseRevisionOf } from '../../user-store/served/raise-revision.js';
import { NodeAddresses } from '../connection/node-addresses.js';
import { NodeConnector } from '../connection/node-connector.js';
import { Node } from '../store/node.entity.js';
import { ExpectedUsers } from '../sync/expected-users.js';
import type { NodeTiming } from '../sync/node-timing.js';
import { StartLimiter } from '../sync/start-limiter.js';
import { StartRequestBuilder } from '../sync/start-request-builder.js';

export const INBOUND_TAG = 'Shadowsocks TCP';

/** Everything at once: the tests wait for what happens, not for the time at which it does. */
export const QUICK_TIMING: NodeTiming = {
  healthMs: 40,
  collectMs: 20,
  compareMs: 60_000,
  certificatesMs: 60_000,
  scanMs: 50,
  firstRetryDelayMs: 10,
  maxRetryDelayMs: 40,
  gatherChangesMs: 1,
};

/** Leads to doubles instead of nodes. */
export class DoubleConnector extends NodeConnector {
  constructor(private readonly clients: (nodeId: number) => NodeClient) {
    super(new AtRestCipher(Buffer.alloc(32, 7)), new NodeAddresses(readManagementEnv({})));
  }

  override connect(node: Node): Promise<NodeClient> {
    return Promise.resolve(this.clients(node.id));
  }
}

/** Changes as the services make them, on a real database. */
export class NodeFixture {
  /** @param certs directory of certificate files */
  constructor(
    readonly database: DataSource,
    private readonly certs?: string,
  ) {
    Logger.overrideLogger(['fatal']);
  }

  /** @param client of every node, or what opens a new one for each connection */
  context(client: NodeClient | (() => NodeClient)) {
    const connector = new DoubleConnector(() => (typeof client === 'function' ? client() : client));
    const expectedUsers = new ExpectedUsers(this.database);
    return {
      database: this.database,
      connector,
      startRequests: this.startRequestBuilder(),
      expectedUsers,
      startLimiter: new StartLimiter(),
    };
  }

  startRequestBuilder(): StartRequestBuilder {
    return new StartRequestBuilder(this.database, new CoreReader(new CertificateDirectory(this.certs)));
  }

  async createNode(values: Partial<Node> = {}): Promise<Node> {
    const { manager } = this.database;
    const { id } = await manager.save(
      manager.create(Node, {
        name: `node ${Math.random()}`,
        address: '127.0.0.1',
        port: 62_050,
        connectionType: 'grpc',
        serverCa: 'none',
        keepAlive: 60,
        coreConfigId: 1,
        apiKeyEncrypted: Buffer.alloc(0),
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

  /** All in one transaction, so with one revision. */
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
