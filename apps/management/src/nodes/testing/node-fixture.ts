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
import type { NodeTiming } from '../sync/node-timing.js';
import { StartLimiter } from '../sync/start-limiter.js';
import { StartRequests } from '../sync/start-request.js';
import { WantedUsers } from '../sync/wanted-users.js';

export const TAG = 'Shadowsocks TCP';

/** Everything at once: the tests wait for what happens, not for the time at which it does. */
export const QUICK: NodeTiming = {
  healthMs: 40,
  collectMs: 20,
  compareMs: 60_000,
  certificatesMs: 60_000,
  scanMs: 50,
  firstPauseMs: 10,
  longestPauseMs: 40,
  gatherMs: 1,
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
  tools(client: NodeClient | (() => NodeClient)) {
    const connector = new DoubleConnector(() => (typeof client === 'function' ? client() : client));
    const wanted = new WantedUsers(this.database);
    return { database: this.database, connector, orders: this.orders(), wanted, startGate: new StartLimiter() };
  }

  orders(): StartRequests {
    return new StartRequests(this.database, new CoreReader(new CertificateDirectory(this.certs)));
  }

  async node(values: Partial<Node> = {}): Promise<Node> {
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
    return this.reload(id);
  }

  reload(id: number): Promise<Node> {
    return this.database.manager.findOneByOrFail(Node, { id });
  }

  group(inboundTags = [TAG]): Promise<Group> {
    const { manager } = this.database;
    return manager.save(manager.create(Group, { name: `group${Math.random()}`, inboundTags }));
  }

  /** All in one transaction, so with one revision. */
  async users(names: readonly string[], group: Group): Promise<User[]> {
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

  async user(name: string, group: Group): Promise<User> {
    const [user] = await this.users([name], group);
    return user!;
  }

  async change(user: User, values: Partial<User>): Promise<bigint> {
    return this.database.transaction(async (manager) => {
      const revision = await nextRevision(manager);
      await manager.update(User, { id: user.id }, values);
      await raiseRevisionOf(manager, revision, [user.id]);
      return revision;
    });
  }

  async delete({ id, username }: User): Promise<bigint> {
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
