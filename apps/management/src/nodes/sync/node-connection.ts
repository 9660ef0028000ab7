import type { NodeClient } from '@rampart/node-client';
import type { NodeSyncContext } from './node-sync-context.js';

/** The connection of a worker to its node, opened by the node's row at that moment. */
export class NodeConnection {
  private client?: NodeClient;
  private lastAddress = '';

  /**
   * @param stopping ends every wait
   * @param requestId the id under which calls are logged
   */
  constructor(
    private readonly nodeId: number,
    private readonly context: NodeSyncContext,
    private readonly stopping: AbortSignal,
    private readonly requestId: () => string,
  ) {}

  /** The open connection, if there is one. */
  get opened(): NodeClient | undefined {
    return this.client;
  }

  /** `host:port` of the last connection. */
  get address(): string {
    return this.lastAddress;
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
    const { nodes, database, connector } = this.context;
    const node = await nodes.findNodeToConnect(database.manager, this.nodeId);
    this.stopping.throwIfAborted();
    this.lastAddress = `${node.address}:${node.port}`;
    // Looking up a name may take long and cannot be cancelled.
    return unlessAborted(connector.connect(node, this.requestId), this.stopping);
  }
}

/** Ends the wait when the signal aborts, not the work. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
