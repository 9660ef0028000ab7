import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  Api,
  type BreakableDisk,
  enginePath,
  eventually,
  freePort,
  ProgramProcess,
  scratchFolder,
} from '@rampart/testing';

const ROOT = { username: 'root', password: 'a password for root alone' };
export const API_KEY = 'an-api-key-for-two-programs';

interface Options {
  readonly management?: Readonly<Record<string, string>>;
  readonly node?: Readonly<Record<string, string>>;
  /** What the data folder of the node is on. */
  readonly disk?: BreakableDisk | undefined;
  /** The files to run in place of the compiled ones. */
  readonly mains?: { readonly management: string; readonly node: string };
}

/** Management and a node, as built programs, which know each other: a core with a VLESS inbound, a group and a host. */
export class TwoPrograms {
  private constructor(
    readonly folder: string,
    readonly management: ProgramProcess,
    public node: ProgramProcess,
    /** The API, as the first admin. */
    readonly api: Api,
    readonly nodePort: number,
    readonly password: string,
    private readonly nodeSettings: Readonly<Record<string, string>>,
    private readonly disk: BreakableDisk | undefined,
  ) {}

  static async start({ management = {}, node = {}, disk, mains }: Options): Promise<TwoPrograms> {
    const folder = mkdtempSync(join(scratchFolder(), 'rampart-programs-'));
    // The engine's own account reaches what lies in it.
    chmodSync(folder, 0o755);
    const url = `http://127.0.0.1:${await freePort()}`;
    const nodePort = await freePort();
    const nodeSettings = {
      RAMPART_API_KEY: API_KEY,
      RAMPART_NODE_HOST: '127.0.0.1',
      RAMPART_NODE_PORT: String(nodePort),
      RAMPART_NODE_DATA_DIR: disk?.directory ?? join(folder, 'node'),
      XRAY_EXECUTABLE_PATH: enginePath(),
      ...node,
    };
    const programs = [
      new ProgramProcess(
        'management',
        {
          RAMPART_HOST: '127.0.0.1',
          RAMPART_PORT: new URL(url).port,
          RAMPART_DATA_DIR: join(folder, 'management'),
          RAMPART_PUBLIC_URL: url,
          RAMPART_ADMIN_USERNAME: ROOT.username,
          RAMPART_ADMIN_PASSWORD: ROOT.password,
          ...management,
        },
        [],
        mains?.management,
      ),
      new ProgramProcess('node', nodeSettings, disk?.wrapper, mains?.node),
    ] as const;
    await Promise.all([programs[0].printed(`Ready on ${url}`), programs[1].printed('Ready for')]);
    const api = await new Api(url).login(ROOT.username, ROOT.password);
    return new TwoPrograms(folder, ...programs, api, nodePort, ROOT.password, nodeSettings, disk);
  }

  /** Registers the node with a core, and waits until it is connected. Returns the id of a group with its inbound. */
  async connect(name: string): Promise<{ nodeId: number; coreId: number; groupId: number }> {
    const { api } = this;
    const core = await api.create<{ id: number }>('/api/core', { name, config: await coreConfig() });
    const group = await api.create<{ id: number }>('/api/group', { name: 'everyone', inbound_tags: ['in'] });
    await api.create('/api/host', { remark: 'host', inbound_tag: 'in', priority: 1, address: ['127.0.0.1'] });
    const node = await api.create<{ id: number }>('/api/node', {
      name,
      address: '127.0.0.1',
      port: this.nodePort,
      connection_type: 'grpc',
      server_ca: this.certificate,
      keep_alive: 60,
      core_config_id: core.id,
      api_key: API_KEY,
    });
    await eventually('the node is connected', () => this.isConnected(node.id), 30_000);
    return { nodeId: node.id, coreId: core.id, groupId: group.id };
  }

  /** The certificate of the node. */
  get certificate(): string {
    return readFileSync(join(this.disk?.outside ?? join(this.folder, 'node'), 'tls/certificate.pem'), 'utf8');
  }

  async isConnected(id: number): Promise<boolean> {
    return (await this.api.get<{ status: string }>(`/api/node/${id}`)).status === 'connected';
  }

  /** Starts the node again after it was stopped. */
  async startNode(): Promise<void> {
    this.node = new ProgramProcess('node', this.nodeSettings, this.disk?.wrapper);
    await this.node.printed('Ready for');
  }

  async stop(): Promise<void> {
    await Promise.all([this.management.stop(), this.node.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A configuration with one VLESS inbound on a free port. */
export async function coreConfig(): Promise<object> {
  const inbound = { tag: 'in', protocol: 'vless', listen: '127.0.0.1', settings: { decryption: 'none' } };
  return {
    inbounds: [{ ...inbound, port: await freePort() }],
    outbounds: [{ tag: 'direct', protocol: 'freedom' }],
  };
}
