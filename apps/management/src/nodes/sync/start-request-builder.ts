import { Injectable } from '@nestjs/common';
import { type Backend, BackendType, type User, type Users } from '@rampart/node-client';
import { DataSource, type EntityManager } from 'typeorm';
import { Core } from '../../core-store/core.entity.js';
import { CoreReader, type CoreSource, type NodeConfig } from '../../core-store/core-reader.js';
import { asDatabase } from '../../database/database.js';
import { currentRevision } from '../../database/revision.js';
import { servedUsers } from '../../user-store/served/served-users.js';
import { Node } from '../store/node.entity.js';
import { NodeProblem } from '../store/node-problem.js';
import { nodeUser } from './node-user.js';

const PAGE_SIZE = 5_000;

/** What a node is told to run, and what admins should know of it. */
export interface StartRequest extends Omit<NodeConfig, 'config'> {
  readonly backend: Backend;
}

@Injectable()
export class StartRequestBuilder {
  constructor(
    private readonly database: DataSource,
    private readonly cores: CoreReader,
  ) {}

  /** Configuration, users and their revision of one moment. @throws CoreConfigError, and NodeProblem when the node has no core */
  buildStartRequest(nodeId: number): Promise<StartRequest> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const revision = await currentRevision(manager);
      const { node, core } = await coreOf(manager, nodeId);
      const { config, ...rest } = this.cores.readEngineConfig(core);
      const backend = {
        type: BackendType.XRAY,
        config: JSON.stringify(config),
        users: await allUsers(manager),
        keepAlive: BigInt(node.keepAlive),
        excludeInbounds: core.excludeInboundTags,
        revision,
      };
      return { backend, ...rest };
    });
  }

  /** The configuration alone, as it would be sent now. @throws CoreConfigError, and NodeProblem when the node has no core */
  async config(nodeId: number): Promise<string> {
    const { core } = await coreOf(this.database.manager, nodeId);
    return JSON.stringify(this.cores.readEngineConfig(core).config);
  }

  /** Users and their revision of one moment. */
  users(): Promise<Users> {
    return asDatabase(this.database).snapshot(async (manager) => {
      const revision = await currentRevision(manager);
      return { users: await allUsers(manager), revision };
    });
  }
}

/** With the core that it runs until it is restarted with another one. */
async function coreOf(manager: EntityManager, nodeId: number): Promise<{ node: Node; core: CoreSource }> {
  const node = await manager.findOneOrFail(Node, {
    select: { id: true, keepAlive: true, coreConfigId: true, pinnedCore: true },
    where: { id: nodeId },
  });
  const core = pinnedCore(node) ?? (await manager.findOneBy(Core, { id: node.coreConfigId ?? 0 }));
  if (!core) throw new NodeProblem('it has no core configuration: choose one');
  return { node, core };
}

/** What the node keeps running until it is restarted. */
function pinnedCore({ pinnedCore: held }: Node): CoreSource | null {
  if (held === null || (isTexts(held.excludeInboundTags) && isTexts(held.fallbacksInboundTags))) return held;
  throw new NodeProblem('the configuration that it holds is damaged: restart its core');
}

const isTexts = (list: unknown): boolean => Array.isArray(list) && list.every((item) => typeof item === 'string');

async function allUsers(manager: EntityManager): Promise<User[]> {
  const users: User[] = [];
  for (let lastId = 0; ; ) {
    const page = await servedUsers(manager, lastId, PAGE_SIZE);
    for (const user of page) users.push(nodeUser(user));
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return users;
    lastId = last.id;
  }
}
