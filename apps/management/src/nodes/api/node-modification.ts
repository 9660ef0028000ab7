import { certificateBlocks } from '../connection/server-ca.js';
import type { Node } from '../store/node.entity.js';
import type { NodeModify } from './node.dto.js';

type Columns = Pick<Node, (typeof CONNECTION)[number]> &
  Pick<Node, 'name' | 'keepAlive' | 'coreConfigId' | 'usageCoefficient' | 'status' | 'message'>;

/** What a connection depends on, beside the API key. */
const CONNECTION = ['address', 'port', 'connectionType', 'serverCa'] as const;

/** What becomes of a node, and what its worker has to do about it. */
export interface NodeModification {
  readonly columns: Columns;
  /** Whether it enters or leaves service. */
  readonly moves: boolean;
  readonly reconnects: boolean;
  /** With a core that it has not run: nothing is held any more. */
  readonly changesCore: boolean;
  /** It has to be started to know; the engine does not notice. */
  readonly changesKeepAlive: boolean;
}

export function modificationOf(node: Node, request: NodeModify): NodeModification {
  const status = wantedStatus(node, request);
  const moves = status !== node.status;
  const columns = {
    name: request.name ?? node.name,
    address: request.address ?? node.address,
    port: request.port ?? node.port,
    connectionType: request.connection_type ?? node.connectionType,
    serverCa: certificateBlocks(request.server_ca ?? node.serverCa),
    keepAlive: request.keep_alive ?? node.keepAlive,
    coreConfigId: request.core_config_id ?? node.coreConfigId,
    usageCoefficient: request.usage_coefficient ?? node.usageCoefficient,
    status,
    message: moves ? null : node.message,
  };
  const isElsewhere = CONNECTION.some((column) => columns[column] !== node[column]);
  return {
    columns,
    moves,
    // One that is disabled and enabled quickly may have kept its worker, and missed what nobody told it meanwhile.
    reconnects: isElsewhere || (request.api_key ?? undefined) !== undefined || (moves && status !== 'disabled'),
    changesCore: columns.coreConfigId !== node.coreConfigId,
    changesKeepAlive: columns.keepAlive !== node.keepAlive,
  };
}

/** Clients send back the status that they were shown; only whether it is `disabled` is theirs to say. */
function wantedStatus({ status }: Node, request: NodeModify): Node['status'] {
  const wanted = request.status ?? status;
  if ((wanted === 'disabled') === (status === 'disabled')) return status;
  return wanted === 'disabled' ? 'disabled' : 'connecting';
}
