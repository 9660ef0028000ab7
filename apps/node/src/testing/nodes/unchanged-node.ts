import { gzipSync } from 'node:zlib';
import { expect, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { User } from '@rampart/node-client';
import { eventually } from '@rampart/testing';
import { KEY, send } from '../clients/https.js';
import { BREAK_OFFS, RawHttp2 } from '../clients/raw-http2.js';
import { ContractNodeFixture, TRANSPORTS } from './contract-node.js';

/** A real node that serves three users, and must not change by what a test does. */
export class UnchangedNodeFixture {
  private constructor(
    readonly contract: ContractNodeFixture,
    readonly users: readonly [User, User, User],
  ) {}

  static async open(): Promise<UnchangedNodeFixture> {
    const contract = await ContractNodeFixture.open(TRANSPORTS[0]);
    const [ann, bob, cid] = [contract.user('1.ann'), contract.user('2.bob'), contract.user('3.cid')];
    return new UnchangedNodeFixture(contract, [ann, bob, cid]);
  }

  get node(): ContractNodeFixture['node'] {
    return this.contract.node;
  }

  async start(): Promise<void> {
    jest.restoreAllMocks();
    await this.contract.client.start({ ...this.contract.backend, users: [...this.users] });
  }

  async state(): Promise<Record<string, unknown>> {
    const { running, usersCount, usersDigest, configDigest, restarts } = await this.contract.client.info();
    return { running, usersCount, usersDigest: Buffer.from(usersDigest).toString('hex'), configDigest, restarts };
  }

  /** `work`, and then the end of the connections that it has opened, leave the node as it was, and its log without a word. */
  async staysAsItIs(work: () => Promise<void>): Promise<void> {
    const before = await this.state();
    expect(before).toMatchObject({ running: true, usersCount: 3n });
    const told = (['fatal', 'error', 'warn'] as const).map((level) => jest.spyOn(Logger.prototype, level));
    const open = await this.connections();
    await work();
    await eventually('its connections are closed', async (saw) => saw(await this.connections()) === open);
    // What the node still does about it is done before what comes after it.
    const body = gzipSync(User.encode(this.users[2]).finish());
    const headers = { ...KEY, 'content-encoding': 'gzip' };
    expect(await send(this.node, 'PUT', '/user/sync', { headers, body })).toMatchObject({ status: 200 });
    expect(await this.state()).toEqual(before);
    expect(told.flatMap(({ mock }) => mock.calls)).toEqual([]);
  }

  /** A request over HTTP/2 with a body that has begun, ended by one of `BREAK_OFFS`. */
  async breakOffHttp2(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    breakOff: (typeof BREAK_OFFS)[number][1],
  ): Promise<void> {
    const client = await RawHttp2.connect(this.node);
    const pseudo = { ':method': method, ':scheme': 'https', ':authority': 'node', ':path': path };
    await client.beginRequest({ ...pseudo, ...KEY, ...headers }, body);
    await breakOff(client);
  }

  close(): Promise<void> {
    return this.contract.close();
  }

  private connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.node.app
        .getHttpServer()
        .getConnections((error: Error | null, count: number) => (error ? reject(error) : resolve(count))),
    );
  }
}
