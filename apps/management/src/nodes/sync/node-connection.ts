import type { NodeClient } from '@rampart/node-client';
import { Node } from '../store/node.entity.js';
import type { NodeSyncContext } from './node-sync-context.js';

/** A worker's way to its node, by the row as it is when it is opened. */
export class NodeConnection {
  private client?: NodeClient;
  private leadsTo = '';

  /** @param stopping ends every wait */
  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    private readonly stopping: AbortSignal,
  ) {}

  get opened(): NodeClient | undefined {
    return this.client;
  }

  /** Where the node is that was connected last: name or address, and port. */
  get address(): string {
    return this.leadsTo;
  }

  async open(): Promise<NodeClient> {
    this.client ??= await this.connect();
    return this.client;
  }

  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.close();
  }

  private async connect(): Promise<NodeClient> {
    const node = await this.context.database.manager.findOneByOrFail(Node, { id: this.nodeId });
    this.stopping.throwIfAborted();
    this.leadsTo = `${node.address}:${node.port}`;
    // A name may take its time to be looked up.
    return unlessAborted(this.context.connector.connect(node), this.stopping);
  }
}

/** Ends the wait, not the work. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
