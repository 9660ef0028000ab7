import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { createNodeClient, type NodeClient, type NodeClientOptions } from '@rampart/node-client';
import { listen } from '@rampart/program';
import { scratchFolder } from '@rampart/testing';
import { createNodeApp } from '../../app/node.app.js';
import { readNodeEnv } from '../../env/node-env.js';
import { NodeService } from '../../node.service.js';
import { loadCertificate, type NodeCertificate } from '../../tls/certificate.js';
import type { NodeCalls } from './node-double.js';

export const API_KEY = 'the-key-of-the-tests';

/** A whole node on a free port of 127.0.0.1, with its real service or a double. */
export class RunningNode {
  private readonly clients: NodeClient[] = [];

  private constructor(
    readonly app: NestFastifyApplication,
    readonly port: number,
    readonly certificate: NodeCertificate,
    readonly dataDir: string,
  ) {}

  static async open({
    service,
    settings = {},
  }: {
    service?: NodeCalls;
    settings?: Record<string, string>;
  } = {}): Promise<RunningNode> {
    const dataDir = await mkdtemp(join(scratchFolder(), 'rampart-node-'));
    const env = readNodeEnv({
      RAMPART_API_KEY: API_KEY,
      RAMPART_NODE_HOST: '127.0.0.1',
      RAMPART_NODE_PORT: '0',
      RAMPART_NODE_DATA_DIR: dataDir,
      RAMPART_NODE_NAMES: 'localhost,127.0.0.1',
      ...settings,
    });
    const certificate = await loadCertificate(env);
    const app = await createNodeApp(env, certificate, {
      logger: false,
      build: async (module, adapter, options) => {
        const builder = Test.createTestingModule({ imports: [module] });
        if (service) builder.overrideProvider(NodeService).useValue(service);
        const compiled = await builder.setLogger(false as never).compile();
        return compiled.createNestApplication<NestFastifyApplication>(adapter, options);
      },
    });
    try {
      const address = await listen(app, env.address);
      return new RunningNode(app, Number(address.split(':').at(-1)), certificate, dataDir);
    } catch (error) {
      await app.close();
      await rm(dataDir, { recursive: true, force: true });
      throw error;
    }
  }

  /** A client that trusts this node and is closed with it. */
  client(transport: NodeClientOptions['transport'], options: Partial<NodeClientOptions> = {}): NodeClient {
    const client = createNodeClient({
      transport,
      host: '127.0.0.1',
      port: this.port,
      apiKey: API_KEY,
      tls: { ca: this.certificate.cert },
      ...options,
    });
    this.clients.push(client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all(this.clients.map((client) => client.close()));
    await this.app.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
