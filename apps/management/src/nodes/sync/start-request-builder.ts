import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Backend, BackendType, EncodedUsers, type User, type Users } from '@rampart/node-client';
import { DelayedGarbageCollection } from '@rampart/program';
import { DataSource, type EntityManager } from 'typeorm';
import { CoreRepository } from '../../core-store/core.repository.js';
import { CoreReader, type CoreSource, type NodeConfig } from '../../core-store/core-reader.js';
import { asDatabase } from '../../database/database.js';
import { currentRevision } from '../../database/revision.js';
import { type ServedUser, servedUsers } from '../../user-store/served/served-users.js';
import { NodeCoreRepository, type StartColumns } from '../store/node-core.repository.js';
import { NodeProblem } from '../store/node-problem.js';
import { nodeUser } from './node-user.js';
import { SharedUserSet } from './shared-user-set.js';

const PAGE_SIZE = 5_000;

/** The request that starts a node, and what its message tells admins about the configuration. */
export interface StartRequest extends Omit<NodeConfig, 'config'> {
  readonly backend: Omit<Backend, 'users'> & { readonly users: EncodedUsers };
  /** Tags of the inbounds in which the node may serve users. */
  readonly inboundTags: readonly string[];
}

/** Reads what a node is to run: its core configuration and all served users. */
@Injectable()
export class StartRequestBuilder implements OnModuleDestroy {
  private readonly sharedUsers = new SharedUserSet<EncodedUsers>();
  private readonly tidying = new DelayedGarbageCollection();

  constructor(
    private readonly database: DataSource,
    private readonly reader: CoreReader,
    private readonly cores: CoreRepository,
    private readonly nodes: NodeCoreRepository,
  ) {}

  /**
   * Configuration, users and revision, read in one snapshot.
   *
   * @throws CoreConfigError; NodeProblem when the node has no core
   */
  buildStartRequest(nodeId: number): Promise<StartRequest> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const revision = await currentRevision(manager);
      const { node, core } = await this.findCore(manager, nodeId);
      const { config, ...notes } = this.reader.readEngineConfig(core);
      const backend = {
        type: BackendType.XRAY,
        config: JSON.stringify(config),
        users: await this.sharedUsers.read(revision, () => encodeAllUsers(manager)),
        keepAlive: BigInt(node.keepAlive),
        excludeInbounds: core.excludeInboundTags,
        privateNetworks: { allowed: core.privateNetworks },
        revision,
      };
      return { backend, inboundTags: servingTags(config, core.excludeInboundTags), ...notes };
    });
  }

  /** Nodes that are started during each other's work get the same list of users, which is read once. */
  withStartRequest<T>(nodeId: number, work: (request: StartRequest) => Promise<T>): Promise<T> {
    return this.tidyAfter(() => this.sharedUsers.hold(async () => work(await this.buildStartRequest(nodeId))));
  }

  /** All served users and their revision, read in one snapshot. */
  withUserSet<T>(work: (users: Users) => Promise<T>): Promise<T> {
    return this.tidyAfter(async () => work(await this.buildUserSet()));
  }

  onModuleDestroy(): void {
    this.tidying.cancel();
  }

  /** The memory of all users is given back soon after it was needed: an idle program may keep it for hours. */
  private async tidyAfter<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.tidying.schedule();
    }
  }

  /** The configuration alone, as a Start would send it now. @throws CoreConfigError; NodeProblem when the node has no core */
  async buildConfig(nodeId: number): Promise<string> {
    const { core } = await this.findCore(this.database.manager, nodeId);
    return JSON.stringify(this.reader.readEngineConfig(core).config);
  }

  private buildUserSet(): Promise<Users> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const revision = await currentRevision(manager);
      return { users: await readAllUsers(manager), revision };
    });
  }

  /** The configuration that the node is pinned to, or else its core as it is stored. */
  private async findCore(manager: EntityManager, nodeId: number): Promise<{ node: StartColumns; core: CoreSource }> {
    const node = await this.nodes.findStartColumns(manager, nodeId);
    const core = validPinnedCore(node) ?? (await this.cores.findCore(manager, node.coreConfigId ?? 0));
    if (!core) throw new NodeProblem('it has no core configuration: choose one');
    return { node, core };
  }
}

/** Inbounds whose users are taken from the configuration serve none of ours. */
function servingTags(config: NodeConfig['config'], excluded: readonly string[]): string[] {
  const { inbounds }: { inbounds?: unknown } = Object(config);
  const tags = Array.isArray(inbounds) ? inbounds.map((inbound: unknown) => Reflect.get(Object(inbound), 'tag')) : [];
  return [...new Set(tags.filter((tag) => typeof tag === 'string' && !excluded.includes(tag)))];
}

function validPinnedCore({ pinnedCore }: StartColumns): CoreSource | null {
  const { excludeInboundTags, fallbacksInboundTags, privateNetworks } = pinnedCore ?? {};
  const isValid = [excludeInboundTags, fallbacksInboundTags, privateNetworks].every(isTexts);
  if (pinnedCore === null || isValid) return pinnedCore;
  throw new NodeProblem('the configuration that it holds is damaged: restart its core');
}

const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((item) => typeof item === 'string');

/** Only the encoded users of all pages are kept in memory. */
async function encodeAllUsers(manager: EntityManager): Promise<EncodedUsers> {
  const encoded = EncodedUsers.forStart();
  for await (const page of pagesOfUsers(manager)) for (const user of page) encoded.add(nodeUser(user));
  return encoded;
}

async function readAllUsers(manager: EntityManager): Promise<User[]> {
  const users: User[] = [];
  for await (const page of pagesOfUsers(manager)) for (const user of page) users.push(nodeUser(user));
  return users;
}

async function* pagesOfUsers(manager: EntityManager): AsyncGenerator<readonly ServedUser[], void, void> {
  for (let lastId = 0; ; ) {
    const page = await servedUsers(manager, lastId, PAGE_SIZE);
    yield page;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return;
    lastId = last.id;
  }
}
