import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import { Backend, type NodeClient, type NodeClientOptions, StatType, User } from '@rampart/node-client';
import { ALLOW_PRIVATE, enginePath, freePort } from '@rampart/testing';
import { NODE_ERRORS, type NodeErrorCode } from '../../errors/node-error.js';
import { Http2Bridge } from '../clients/http2-bridge.js';
import { failureOf } from '../failure.js';
import { RunningNode } from './running-node.js';

/** All transports of a node. */
export const TRANSPORTS = [
  ['gRPC', 'grpc'],
  ['REST, HTTP/1.1', 'rest'],
  ['REST, HTTP/2', 'rest'],
] as const;

/** A node with the real engine, and a client over one transport. */
export class ContractNodeFixture {
  /** The credential of `ann`. */
  readonly id = randomUUID();
  readonly ann = this.user('1.ann', { uuid: this.id });
  readonly client: NodeClient;
  readonly backend: Backend;

  private constructor(
    readonly node: RunningNode,
    private readonly bridge: Http2Bridge | undefined,
    private readonly transport: 'grpc' | 'rest',
    /** Port of the inbound. */
    readonly inboundPort: number,
  ) {
    this.client = this.clientOf();
    const settings = { clients: [], decryption: 'none' };
    const vless = { tag: 'vless', listen: '127.0.0.1', port: inboundPort, protocol: 'vless', settings };
    const outbounds = [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }];
    this.backend = Backend.fromPartial({
      config: JSON.stringify({ log: { loglevel: 'info' }, inbounds: [vless], outbounds }),
    });
  }

  static async open([door, transport]: (typeof TRANSPORTS)[number]): Promise<ContractNodeFixture> {
    const node = await RunningNode.open({ settings: { XRAY_EXECUTABLE_PATH: enginePath() } });
    const bridge = door === 'REST, HTTP/2' ? await Http2Bridge.open(node) : undefined;
    return new ContractNodeFixture(node, bridge, transport, await freePort());
  }

  /** The port to which clients of this transport connect. */
  get port(): number {
    return this.bridge?.port ?? this.node.port;
  }

  clientOf(options: Partial<NodeClientOptions> = {}): NodeClient {
    return this.node.client(this.transport, { port: this.port, ...options });
  }

  user(email: string, { uuid = randomUUID() as string, inbounds = ['vless'] } = {}): User {
    return User.fromPartial({ email, proxies: { vless: { id: uuid, flow: '' } }, inbounds });
  }

  /** All calls except info, start, stop and logs. */
  callsThatNeedBackend(client: NodeClient): Promise<unknown>[] {
    return [
      client.stats({ type: StatType.UsersStat }),
      client.syncUser([this.ann]),
      client.syncUsers({ users: [this.ann] }),
      client.syncUsersChunked([this.ann]),
      client.collectTraffic({}),
      client.systemStats(),
      client.backendStats(),
      client.userOnline('1.ann'),
      client.userOnlineIps('1.ann'),
      client.onlineUsers(),
      client.latencies(),
    ];
  }

  async fails(call: Promise<unknown>, code: NodeErrorCode, message: string): Promise<void> {
    const failure = await failureOf(call);
    expect([failure.code, failure.message]).toEqual([code, message]);
    if (this.transport === 'rest') expect(failure.httpStatus).toBe(NODE_ERRORS[code].http);
    else expect(failure.grpcCode).toBe(NODE_ERRORS[code].grpc);
  }

  async refusesWithoutBackend(): Promise<void> {
    const calls = this.callsThatNeedBackend(this.client);
    await Promise.all(calls.map((call) => this.fails(call, 'BACKEND_NOT_INITIALIZED', 'backend not initialized')));
  }

  async close(): Promise<void> {
    await this.bridge?.close();
    await this.node.close();
  }
}
