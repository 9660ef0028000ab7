import { withVersion } from '../../http/version.js';
import type { Node } from '../store/node.entity.js';
import type { NodeView } from './node.dto.js';

/** A node as the API shows it. */
export function nodeView(node: Node): NodeView {
  const view = {
    name: node.name,
    address: node.address,
    port: node.port,
    usage_coefficient: node.usageCoefficient,
    connection_type: node.connectionType,
    server_ca: node.serverCa,
    keep_alive: node.keepAlive,
    core_config_id: node.coreConfigId,
    id: node.id,
    xray_version: node.coreVersion,
    core_version: node.coreVersion,
    node_version: node.nodeVersion,
    status: node.status,
    message: node.message,
    message_code: node.messageCode,
    core_pending: node.corePending,
    uplink: node.uplink,
    downlink: node.downlink,
    certificate_expires_at: node.certificateExpiresAt?.toISOString() ?? null,
    drift_count: node.driftCount,
    drift_found_at: node.driftFoundAt?.toISOString() ?? null,
    implausible_count: node.implausibleCount,
    implausible_found_at: node.implausibleFoundAt?.toISOString() ?? null,
  };
  const { name, address, port, usage_coefficient, connection_type, server_ca, keep_alive, core_config_id } = view;
  const edited = [name, address, port, usage_coefficient, connection_type, server_ca, keep_alive, core_config_id];
  return withVersion(view, [edited, node.status === 'disabled', node.apiKeyEncrypted.toString('base64')]);
}
