import type { HealthCheck } from '@rampart/program';
import type { BackendFigures, ProxyBackend } from './backend/backend.js';
import type { NodeState } from './node.state.js';
import type { Session } from './session/session.js';
import type { TrafficStore } from './traffic/traffic-store.js';

interface NodeParts {
  readonly session: Session;
  readonly backend: ProxyBackend;
  readonly traffic: TrafficStore;
  readonly state: NodeState;
}

/** The figures of a node at one moment. */
export interface NodeFigures extends BackendFigures {
  /** Whether the engine should run, and whether it does. */
  readonly wanted: boolean;
  readonly running: boolean;
  /** See `ProxyBackend.hasFallenBack`. */
  readonly fallback: boolean;
  /** Restarts after unexpected exits. */
  readonly restarts: number;
  /** Users that the engine serves, that were refused, and that are connected now (undefined while it does not answer). */
  readonly users: { readonly served: number; readonly refused: number; readonly online: number | undefined };
  /** Bytes since the node's process started; uplink is what users have sent. */
  readonly traffic: { readonly uplink: number; readonly downlink: number };
}

/** What metrics and health checks read of the parts of a node. */
export class NodeMonitor {
  /** The reasons are for everybody: they name neither users nor paths. */
  readonly checks: Readonly<Record<'engine' | 'disk', HealthCheck>> = {
    engine: () => this.engineProblem(),
    disk: () => this.parts.state.diskProblem(),
  };

  constructor(private readonly parts: NodeParts) {}

  async figures(): Promise<NodeFigures> {
    const { session, backend, traffic } = this.parts;
    const online = backend.running ? await backend.statistics.onlineUsers().catch(() => undefined) : [];
    return {
      ...(await backend.figures()),
      wanted: session.isWanted,
      running: backend.running,
      fallback: backend.hasFallenBack,
      restarts: backend.restarts,
      users: { served: backend.users.count, refused: session.refused.length, online: online?.length },
      traffic: { ...traffic.carried },
    };
  }

  /** A node that nobody has started yet is ready: it waits for the call that starts it. */
  private engineProblem(): string | undefined {
    const { session, backend } = this.parts;
    if (!session.isWanted || backend.running) return undefined;
    return session.started
      ? 'the engine does not run: the log says why'
      : 'the saved session could not be started again: the log says why';
  }
}
