import { certificateBlocks } from '../connection/server-ca.js';
import type { Node } from '../store/node.entity.js';
import type { NodeModify } from './node.dto.js';

/** The columns of an enrolment, which ends where the node gets a certificate of its own. */
type Enrolment = Pick<Node, 'authorityId' | 'identity' | 'listenPort' | 'certificateExpiresAt'>;
const NOT_ENROLLED: Enrolment = { authorityId: null, identity: null, listenPort: null, certificateExpiresAt: null };

type Columns = Pick<Node, (typeof CONNECTION)[number]> &
  Partial<Enrolment> &
  Pick<Node, 'name' | 'keepAlive' | 'coreConfigId' | 'usageCoefficient' | 'status' | 'message' | 'messageCode'>;

/** The columns on which a connection depends, besides the API key. */
const CONNECTION = ['address', 'port', 'connectionType', 'serverCa'] as const;

/** Those that say to whom management connects, and gives the users and the core of the node. */
const PEER = ['address', 'port', 'serverCa'] as const;

/** The new columns of a node, and what its worker has to do. */
export interface NodeModification {
  readonly columns: Columns;
  /** The node is enabled or disabled. */
  readonly moves: boolean;
  readonly reconnects: boolean;
  /** Management connects to somebody else, or shows another key. */
  readonly changesPeer: boolean;
  /** The node gets another core, so it is no longer pinned to an older configuration. */
  readonly changesCore: boolean;
  /** The node learns its keep-alive by a Start, which does not restart an engine with the same configuration. */
  readonly changesKeepAlive: boolean;
}

export function modificationOf(node: Node, request: NodeModify): NodeModification {
  const status = wantedStatus(node, request);
  const moves = status !== node.status;
  const serverCa = certificateBlocks(request.server_ca ?? node.serverCa);
  const columns = {
    name: request.name ?? node.name,
    address: request.address ?? node.address,
    port: request.port ?? node.port,
    connectionType: request.connection_type ?? node.connectionType,
    serverCa,
    // Clients send back the certificate that they were shown, which changes nothing.
    ...(serverCa !== node.serverCa && NOT_ENROLLED),
    keepAlive: request.keep_alive ?? node.keepAlive,
    coreConfigId: request.core_config_id ?? node.coreConfigId,
    usageCoefficient: request.usage_coefficient ?? node.usageCoefficient,
    status,
    message: moves ? null : node.message,
    messageCode: moves ? null : node.messageCode,
  };
  const isOther = (column: (typeof CONNECTION)[number]) => columns[column] !== node[column];
  const changesKey = (request.api_key ?? undefined) !== undefined;
  return {
    columns,
    moves,
    // A node that is disabled and enabled quickly may have kept its worker, which missed what was announced meanwhile.
    reconnects: CONNECTION.some(isOther) || changesKey || (moves && status !== 'disabled'),
    changesPeer: PEER.some(isOther) || changesKey,
    changesCore: columns.coreConfigId !== node.coreConfigId,
    changesKeepAlive: columns.keepAlive !== node.keepAlive,
  };
}

/** Clients send back the status that they were shown, so only a change to or from `disabled` counts. */
function wantedStatus({ status }: Node, request: NodeModify): Node['status'] {
  const wanted = request.status ?? status;
  if ((wanted === 'disabled') === (status === 'disabled')) return status;
  return wanted === 'disabled' ? 'disabled' : 'connecting';
}
