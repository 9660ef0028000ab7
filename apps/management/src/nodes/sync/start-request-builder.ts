import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { type Backend, BackendType, EncodedUsers, type User, type Users } from '@rampart/node-client';
import { DelayedGarbageCollection } from '@rampart/program';
import { DataSource, type EntityManager } from 'typeorm';
import { CoreRepository } from '../../core-store/core.repository.js';
import { CoreReader, type CoreSource, type NodeConfig } from '../../core-store/core-reader.js';
import { asDatabase } from '../../database/database.js';
import { currentRevision } from '../../database/revision.js';
import { NodeCoreRepository, type StartColumns } from '../store/node-core.repository.js';
import { NodeProblem } from '../store/node-problem.js';
import { CoreView } from './core-view.js';
import { servedPages } from './served-pages.js';
import { SharedUserSet } from './shared-user-set.js';
import { UserIds } from './user-ids.js';

const PAGE_SIZE = 5_000;

/** The users of a node: in the form in which they are sent, and who they are. */
export interface UserSet<Sent> {
  readonly users: Sent;
  readonly ids: UserIds;
}

/** The request that starts a node, and what its message tells admins about the configuration. */
export interface StartRequest extends Omit<NodeConfig, 'config' | 'protocols'> {
  readonly backend: Omit<Backend, 'users'> & { readonly users: EncodedUsers };
  /** What the node needs to know of users with this configuration. */
  readonly view: CoreView;
  /** The users of the request. */
  readonly ids: UserIds;
}

/** Reads what a node is to run: its core configuration and the users who are served by its inbounds. */
@Injectable()
export class StartRequestBuilder implements OnModuleDestroy {
  private readonly sharedUsers = new SharedUserSet<UserSet<EncodedUsers>>();
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
      const { config, protocols, ...notes } = this.reader.readEngineConfig(core);
      const view = new CoreView(protocols);
      const { users, ids } = await this.sharedUsers.read(view.key, revision, () => encodeUsers(manager, view));
      const backend = {
        type: BackendType.XRAY,
        config: JSON.stringify(config),
        users,
        keepAlive: BigInt(node.keepAlive),
        excludeInbounds: core.excludeInboundTags,
        privateNetworks: { allowed: core.privateNetworks },
        revision,
      };
      return { backend, view, ids, ...notes };
    });
  }

  /** Nodes with the same inbounds that are started during each other's work get the same list of users, which is read once. */
  withStartRequest<T>(nodeId: number, work: (request: StartRequest) => Promise<T>): Promise<T> {
    return this.tidyAfter(() => this.sharedUsers.hold(async () => work(await this.buildStartRequest(nodeId))));
  }

  /** All users whom nodes with this view serve, and their revision, read in one snapshot. */
  withUserSet<T>(view: CoreView, work: (set: UserSet<Users>) => Promise<T>): Promise<T> {
    return this.tidyAfter(async () => work(await this.buildUserSet(view)));
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

  private buildUserSet(view: CoreView): Promise<UserSet<Users>> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const revision = await currentRevision(manager);
      const users: User[] = [];
      const ids = await readUsers(manager, view, (user) => users.push(user));
      return { users: { users, revision }, ids };
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

function validPinnedCore({ pinnedCore }: StartColumns): CoreSource | null {
  const { excludeInboundTags, fallbacksInboundTags, privateNetworks } = pinnedCore ?? {};
  const isValid = [excludeInboundTags, fallbacksInboundTags, privateNetworks].every(isTexts);
  if (pinnedCore === null || isValid) return pinnedCore;
  throw new NodeProblem('the configuration that it holds is damaged: restart its core');
}

const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((item) => typeof item === 'string');

/** Only the encoded users of all pages are kept in memory. */
async function encodeUsers(manager: EntityManager, view: CoreView): Promise<UserSet<EncodedUsers>> {
  const users = EncodedUsers.forStart();
  return { users, ids: await readUsers(manager, view, (user) => users.addComplete(user)) };
}

async function readUsers(manager: EntityManager, view: CoreView, add: (user: User) => void): Promise<UserIds> {
  const ids = new UserIds();
  for await (const page of servedPages(manager, view, PAGE_SIZE)) {
    for (const user of page) {
      ids.add(user.id);
      add(view.nodeUser(user));
    }
  }
  return ids;
}
