import { jest } from '@jest/globals';
import { until } from '@rampart/testing';
import { TestManagement } from '../../testing/test-management.js';
import type { NodeView } from '../api/node.dto.js';
import { NodeConnector } from '../connection/node-connector.js';
import { LEAF } from './certificates.js';
import { NodeDouble } from './node-double.js';
import { NodeFixture } from './node-fixture.js';

export const API_KEY = '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11';

export const NODE = {
  name: 'near',
  address: '127.0.0.1',
  port: 9,
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 60,
  core_config_id: 1,
  api_key: API_KEY,
};

let created = 0;

/** The whole service, with a double instead of every node. */
export class ManagementWithNodeDoubles {
  readonly fixture: NodeFixture;
  /** The nodes to which connections were opened, in order. */
  readonly connections: [nodeId: number, address: string][] = [];
  private readonly doubles = new Map<number, NodeDouble>();

  private constructor(readonly management: TestManagement) {
    this.fixture = new NodeFixture(management.database);
    jest.spyOn(management.app.get(NodeConnector), 'connect').mockImplementation((node) => {
      this.connections.push([node.id, node.address]);
      return Promise.resolve(this.double(node.id));
    });
  }

  static async start(settings: Record<string, string> = {}): Promise<ManagementWithNodeDoubles> {
    return new ManagementWithNodeDoubles(await TestManagement.start(settings));
  }

  double(id: number): NodeDouble {
    const double = this.doubles.get(id) ?? new NodeDouble();
    this.doubles.set(id, double);
    return double;
  }

  /** Creates a node and waits until it is connected. */
  async connectedNode(values: object = {}): Promise<number> {
    created += 1;
    const { body } = await this.management.call('POST', '/api/node', { ...NODE, name: `node ${created}`, ...values });
    const { id } = Object(body);
    await this.waitForStatus(id, 'connected');
    return id;
  }

  async view(id: number): Promise<NodeView> {
    return Object((await this.management.call('GET', `/api/node/${id}`)).body);
  }

  waitForStatus(id: number, status: NodeView['status']): Promise<void> {
    return until(async (saw) => saw(await this.view(id)).status === status);
  }

  /** Waits until at least so many connections to nodes were opened. */
  waitForConnections(count: number): Promise<void> {
    return until((saw) => saw(this.connections).length >= count);
  }

  /** The newest entries of the audit log, oldest first. */
  async newestAuditEntries(count = 1): Promise<unknown[]> {
    const rows: unknown[] = await this.management.database.query(
      'SELECT actor, action, target, difference FROM audit_entries ORDER BY id DESC LIMIT $1',
      [count],
    );
    return rows.reverse();
  }

  async auditCount(): Promise<number> {
    const [{ n }] = await this.management.database.query('SELECT count(*)::integer AS n FROM audit_entries');
    return n;
  }

  close(): Promise<void> {
    return this.management.close();
  }
}
