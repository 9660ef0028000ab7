import { randomUUID } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOW_PRIVATE, Api, enginePath, eventually, freePort, ProgramProcess } from '@rampart/testing';
import { allUsers, type Population } from './changer.js';
import { type Clock, makeClock, removeDeadClocks } from './parts/clock.js';
import { makePlace, type Place } from './parts/network.js';
import { listenersOn } from './parts/processes.js';
import { makeSmallDisk, type SmallDisk } from './parts/small-disk.js';
import { Supervised } from './parts/supervised.js';
import { ByteBook } from './traffic/bytes.js';
import { ClientEngine } from './traffic/client-engine.js';
import { OriginServer } from './traffic/origin-server.js';
import { Group, tagOf } from './users/group.js';
import { User } from './users/user.js';

const ROOT = { username: 'root', password: 'a password for the chaos' };
const NODE_DISK_MIB = 32;
const DATABASE_DISK_MIB = 320;
const STARTS_WITHIN_MS = 60_000;
/** Longer than a partition, and the time until management calls again. */
const KEEP_ALIVE_SECONDS = 180;
const EMBEDDED_POSTGRES = join(
  import.meta.dirname,
  '../../../apps/management/dist/database/embedded/embedded-postgres.js',
);

export interface Postgres {
  readonly pid: number | undefined;
  readonly url: string;
  stop(): Promise<void>;
}

export interface ManagementPart {
  readonly name: string;
  readonly program: Supervised;
  readonly api: Api;
  readonly clock: Clock;
}

export interface NodePart {
  readonly index: number;
  readonly name: string;
  readonly id: number;
  readonly program: Supervised;
  readonly place: Place;
  readonly disk: SmallDisk;
  readonly clock: Clock;
  /** The process ids of the engines that listen on the inbound now. */
  engines(): number[];
}

export interface Size {
  readonly nodes: number;
  readonly managements: number;
}

/** A PostgreSQL, managements and nodes as built programs, users and groups, and the clients of the users. */
export class Deployment {
  private readonly ends: (() => unknown)[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'rampart-chaos-'));
  readonly book = new ByteBook();
  readonly managements: ManagementPart[] = [];
  readonly nodes: NodePart[] = [];
  databaseDisk!: SmallDisk;
  postgres!: Postgres;
  population!: Population;
  clients!: ClientEngine;

  static async start(size: Size): Promise<Deployment> {
    const deployment = new Deployment();
    try {
      await deployment.build(size);
      return deployment;
    } catch (error) {
      await deployment.end();
      throw error;
    }
  }

  get api(): Api {
    return (this.managements[0] as ManagementPart).api;
  }

  /** Writes what each program has printed into a file of this folder. */
  saveOutput(folder: string): void {
    mkdirSync(folder, { recursive: true });
    for (const { name, program } of [...this.managements, ...this.nodes])
      writeFileSync(join(folder, `${name}.log`), program.output);
  }

  /** Ends everything, in the opposite order of its start. A second call does nothing. */
  async end(): Promise<void> {
    for (let end = this.ends.pop(); end !== undefined; end = this.ends.pop()) await end();
    removeDeadClocks();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async build(size: Size): Promise<void> {
    // The account of the engine reaches what lies in it.
    chmodSync(this.folder, 0o755);
    this.databaseDisk = this.keep(makeSmallDisk(join(this.folder, 'postgres'), DATABASE_DISK_MIB), (disk) =>
      disk.remove(),
    );
    const { EmbeddedPostgres } = await import(EMBEDDED_POSTGRES);
    this.postgres = await EmbeddedPostgres.start({ dataDir: this.databaseDisk.folder, log: () => undefined });
    this.ends.push(() => this.postgres.stop());
    for (let index = 0; index < size.managements; index++) await this.startManagement(index);
    const origin = this.keep(await OriginServer.start(this.book), (one) => one.close());
    const inbounds: number[] = [];
    for (let index = 0; index < size.nodes; index++) inbounds.push(await this.startNode(index));
    this.population = await this.populate(this.nodes.map(({ index }) => index));
    const routes = allUsers(this.population).flatMap(({ username, uuid }) =>
      this.nodes.map(({ index, place }) => ({
        username,
        uuid,
        node: index,
        address: place.address,
        port: inbounds[index] as number,
        origin: { host: place.host, port: origin.port },
      })),
    );
    this.clients = this.keep(await ClientEngine.start(routes), (clients) => clients.close());
    for (const { id, name } of this.nodes)
      await eventually(
        `${name} is connected`,
        async (saw) => saw(await this.api.get<{ status: string }>(`/api/node/${id}`)).status === 'connected',
        STARTS_WITHIN_MS,
      );
  }

  private async startManagement(index: number): Promise<void> {
    const name = `management ${index}`;
    const dataDir = join(this.folder, name);
    mkdirSync(dataDir);
    if (index > 0) cpSync(join(this.folder, 'management 0/keys.json'), join(dataDir, 'keys.json'));
    const clock = makeClock(join(this.folder, `clock of ${name}`));
    const url = `http://127.0.0.1:${await freePort()}`;
    const env = {
      ...clock.env,
      RAMPART_HOST: '127.0.0.1',
      RAMPART_PORT: new URL(url).port,
      RAMPART_DATA_DIR: dataDir,
      RAMPART_PUBLIC_URL: url,
      RAMPART_ADMIN_USERNAME: ROOT.username,
      RAMPART_ADMIN_PASSWORD: ROOT.password,
      DATABASE_URL: this.postgres.url,
    };
    const program = await Supervised.start(() => new ProgramProcess('management', env), `Ready on ${url}`);
    this.ends.push(() => program.end());
    const api = this.managements[0]?.api.at(url) ?? (await new Api(url).login(ROOT.username, ROOT.password));
    this.managements.push({ name, program, api, clock });
  }

  /** Starts a node with a core of its own, and returns the port of its inbound. */
  private async startNode(index: number): Promise<number> {
    const name = `node ${index}`;
    const [apiPort, inboundPort, apiKey] = [await freePort(), await freePort(), randomUUID()];
    const place = this.keep(makePlace((process.pid % 100) + 100 + index, apiPort), (one) => one.remove());
    const disk = this.keep(makeSmallDisk(join(this.folder, name), NODE_DISK_MIB), (one) => one.remove());
    const clock = makeClock(join(this.folder, `clock of ${name}`));
    const env = {
      ...clock.env,
      RAMPART_API_KEY: apiKey,
      RAMPART_NODE_HOST: place.address,
      RAMPART_NODE_NAMES: place.address,
      RAMPART_NODE_PORT: String(apiPort),
      RAMPART_NODE_DATA_DIR: disk.folder,
      RAMPART_NODE_KEEP_SECONDS: '300',
      XRAY_EXECUTABLE_PATH: enginePath(),
    };
    const program = await Supervised.start(() => new ProgramProcess('node', env, place.wrapper), 'Ready for');
    const engines = () => listenersOn(inboundPort, place.wrapper);
    this.ends.push(() => program.end());
    const settings = { decryption: 'none' };
    const inbound = { tag: tagOf(index), protocol: 'vless', listen: place.address, port: inboundPort, settings };
    const core = await this.api.create<{ id: number }>('/api/core', {
      name,
      config: { inbounds: [inbound], outbounds: [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }] },
      // The web server of the clients is on this machine.
      private_networks: [place.host],
    });
    const { id } = await this.api.create<{ id: number }>('/api/node', {
      name,
      address: place.address,
      port: apiPort,
      connection_type: 'grpc',
      server_ca: readFileSync(join(disk.folder, 'tls/certificate.pem'), 'utf8'),
      keep_alive: KEEP_ALIVE_SECONDS,
      core_config_id: core.id,
      api_key: apiKey,
    });
    this.nodes.push({ index, name, id, program, place, disk, clock, engines });
    return inboundPort;
  }

  private async populate(nodes: readonly number[]): Promise<Population> {
    const group = async (name: string, members: readonly number[]) => {
      const { id } = await this.api.create<{ id: number }>('/api/group', { name, inbound_tags: members.map(tagOf) });
      return new Group(id, name, members);
    };
    const [everywhere, firstOnly, edited] = [
      await group('everywhere', nodes),
      await group('first', [0]),
      await group('edited', nodes),
    ];
    const users = async (kind: string, count: number, of: Group, status = 'active') => {
      const made: User[] = [];
      for (let number = 0; number < count; number++) {
        const user = new User(`${kind}-${number}`, randomUUID(), of);
        user.active = status === 'active';
        const proxy_settings = { vless: { id: user.uuid } };
        await this.api.create('/api/user', { username: user.username, group_ids: [of.id], proxy_settings });
        if (!user.active) await this.api.modify(user.path, { status });
        made.push(user);
      }
      return made;
    };
    return {
      stable: await users('stable', 4, everywhere),
      refused: await users('refused', 2, everywhere, 'disabled'),
      toggled: await users('toggled', 4, everywhere),
      moved: await users('moved', 4, everywhere),
      recreated: await users('recreated', 4, everywhere),
      grouped: await users('grouped', 2, edited),
      everywhere,
      firstOnly,
      edited,
    };
  }

  private keep<T>(part: T, end: (part: T) => unknown): T {
    this.ends.push(() => end(part));
    return part;
  }
}
