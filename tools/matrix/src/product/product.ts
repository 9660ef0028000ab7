import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Api, enginePath, eventually, freePort, ProgramProcess, scratchFolder } from '@rampart/testing';

const ADMIN = { username: 'root', password: 'a password for the matrix' };
const STARTS_WITHIN_MS = 60_000;

/** Management and a node, each in its own process, as an operator runs them. */
export class Product {
  private constructor(
    readonly api: Api,
    private readonly node: { readonly port: number; readonly apiKey: string; readonly certificate: string },
    private readonly services: readonly ProgramProcess[],
    private readonly folder: string,
  ) {}

  static async start(): Promise<Product> {
    const folder = await mkdtemp(join(scratchFolder(), 'rampart-matrix-'));
    const [managementPort, nodePort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${managementPort}`;
    const apiKey = randomUUID();
    const node = new ProgramProcess('node', {
      RAMPART_API_KEY: apiKey,
      RAMPART_NODE_HOST: '127.0.0.1',
      RAMPART_NODE_PORT: String(nodePort),
      RAMPART_NODE_DATA_DIR: join(folder, 'node'),
      XRAY_EXECUTABLE_PATH: enginePath(),
    });
    const management = new ProgramProcess('management', {
      RAMPART_HOST: '127.0.0.1',
      RAMPART_PORT: String(managementPort),
      RAMPART_DATA_DIR: join(folder, 'management'),
      RAMPART_PUBLIC_URL: url,
      RAMPART_ADMIN_USERNAME: ADMIN.username,
      RAMPART_ADMIN_PASSWORD: ADMIN.password,
      DATABASE_URL: '',
    });
    try {
      await Promise.all([management.printed(`Ready on ${url}`), node.printed('Ready for')]);
      const certificate = await readFile(join(folder, 'node/tls/certificate.pem'), 'utf8');
      const api = await new Api(url).login(ADMIN.username, ADMIN.password);
      return new Product(api, { port: nodePort, apiKey, certificate }, [management, node], folder);
    } catch (error) {
      await end([management, node], folder);
      throw error;
    }
  }

  /** Assigns a core to the node; resolves when the node runs it. */
  async connectNode(coreId: number): Promise<void> {
    const { port, apiKey, certificate } = this.node;
    await this.api.create('/api/node', {
      name: 'matrix',
      address: '127.0.0.1',
      port,
      connection_type: 'grpc',
      server_ca: certificate,
      keep_alive: 0,
      core_config_id: coreId,
      api_key: apiKey,
    });
    await eventually('the node is connected', () => this.nodeIsConnected(), STARTS_WITHIN_MS);
  }

  close(): Promise<void> {
    return end(this.services, this.folder);
  }

  private async nodeIsConnected(): Promise<boolean> {
    const [node] = await this.api.get<readonly { status: string; message: string | null }[]>('/api/nodes');
    if (node === undefined || node.status === 'error') throw new Error(`the node does not run: ${node?.message}`);
    // The message names what the node left out of a core: then the matrix would test less than it says.
    if (node.status === 'connected' && node.message) throw new Error(node.message);
    return node.status === 'connected';
  }
}

async function end(services: readonly ProgramProcess[], folder: string): Promise<void> {
  await Promise.all(services.map((service) => service.stop()));
  await rm(folder, { recursive: true, force: true });
}
