import { IsDefined, IsOptional } from 'class-validator';
import { REQUIRED } from '../http/messages.js';
import type { Node, NodeConnection, NodeStatus } from './node.entity.js';
import {
  IsApiKey,
  IsCoefficient,
  IsConnection,
  IsId,
  IsNodeAddress,
  IsNodeName,
  IsPort,
  IsSeconds,
  IsServerCa,
  IsStatus,
} from './node-rules.js';

export class NodeCreate {
  @IsNodeName()
  @IsDefined(REQUIRED)
  name: string;

  @IsNodeAddress()
  @IsDefined(REQUIRED)
  address: string;

  @IsPort()
  @IsOptional()
  port?: number | null;

  @IsConnection()
  @IsDefined(REQUIRED)
  connection_type: NodeConnection;

  @IsServerCa()
  @IsDefined(REQUIRED)
  server_ca: string;

  @IsSeconds()
  @IsDefined(REQUIRED)
  keep_alive: number;

  @IsId()
  @IsDefined(REQUIRED)
  core_config_id: number;

  @IsApiKey()
  @IsDefined(REQUIRED)
  api_key: string;

  @IsCoefficient()
  @IsOptional()
  usage_coefficient?: number | null;
}

/** What is absent or null stays as it is. */
export class NodeModify {
  @IsNodeName()
  @IsOptional()
  name?: string | null;

  @IsNodeAddress()
  @IsOptional()
  address?: string | null;

  @IsPort()
  @IsOptional()
  port?: number | null;

  @IsConnection()
  @IsOptional()
  connection_type?: NodeConnection | null;

  @IsServerCa()
  @IsOptional()
  server_ca?: string | null;

  @IsSeconds()
  @IsOptional()
  keep_alive?: number | null;

  @IsId()
  @IsOptional()
  core_config_id?: number | null;

  @IsApiKey()
  @IsOptional()
  api_key?: string | null;

  @IsCoefficient()
  @IsOptional()
  usage_coefficient?: number | null;

  /** `disabled` or not: which of the other three it is, the node decides. */
  @IsStatus()
  @IsOptional()
  status?: NodeStatus | null;
}

/** The API key is not among them: it goes in and never comes out. */
export interface NodeView {
  name: string;
  address: string;
  port: number;
  usage_coefficient: number;
  connection_type: NodeConnection;
  server_ca: string;
  keep_alive: number;
  core_config_id: number | null;
  id: number;
  xray_version: string | null;
  core_version: string | null;
  node_version: string | null;
  status: NodeStatus;
  message: string | null;
  core_pending: boolean;
  uplink: number;
  downlink: number;
}

export const nodeView = (node: Node): NodeView => ({
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
  core_pending: node.corePending,
  uplink: node.uplink,
  downlink: node.downlink,
});
