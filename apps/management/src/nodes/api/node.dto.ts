import { IsDefined, IsOptional } from 'class-validator';
import { REQUIRED } from '../../validation/messages.js';
import type { NodeConnection, NodeStatus } from '../store/node.entity.js';
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

/** A new node. Management connects to it as soon as it is stored. */
export class NodeCreate {
  /** The name, unique among nodes. */
  @IsNodeName()
  @IsDefined(REQUIRED)
  name: string;

  /** An IP address or a domain name, without scheme, port or brackets; the last part of a name is not a number. */
  @IsNodeAddress()
  @IsDefined(REQUIRED)
  address: string;

  /** The port on which the node listens. Null or absent: 62050. */
  @IsPort()
  @IsOptional()
  port?: number | null;

  /** How management talks to the node; a node understands both on one port. */
  @IsConnection()
  @IsDefined(REQUIRED)
  connection_type: NodeConnection;

  /** The certificate that the node shows, or certificates of its authorities, in PEM and without a private key. */
  @IsServerCa()
  @IsDefined(REQUIRED)
  server_ca: string;

  /** Seconds without a call after which the node stops its engine by itself; 0: never. */
  @IsSeconds()
  @IsDefined(REQUIRED)
  keep_alive: number;

  /** The id of the core configuration that the node runs. */
  @IsId()
  @IsDefined(REQUIRED)
  core_config_id: number;

  /**
   * The API key of the node: 16 to 256 printable characters without spaces, and not the all-zero UUID. It is stored
   * encrypted and never shown.
   */
  @IsApiKey()
  @IsDefined(REQUIRED)
  api_key: string;

  /**
   * The factor by which traffic of the node counts for users. Null or absent: 1.
   * @decimal
   */
  @IsCoefficient()
  @IsOptional()
  usage_coefficient?: number | null;
}

/** Changes of a node. Absent members and null leave the value unchanged. */
export class NodeModify {
  /** The name, unique among nodes. */
  @IsNodeName()
  @IsOptional()
  name?: string | null;

  /** An IP address or a domain name, without scheme, port or brackets; the last part of a name is not a number. */
  @IsNodeAddress()
  @IsOptional()
  address?: string | null;

  /** The port on which the node listens. */
  @IsPort()
  @IsOptional()
  port?: number | null;

  /** How management talks to the node. */
  @IsConnection()
  @IsOptional()
  connection_type?: NodeConnection | null;

  /** The certificate that the node shows, or certificates of its authorities, in PEM and without a private key. */
  @IsServerCa()
  @IsOptional()
  server_ca?: string | null;

  /** Seconds without a call after which the node stops its engine by itself; 0: never. */
  @IsSeconds()
  @IsOptional()
  keep_alive?: number | null;

  /** The id of the core configuration that the node runs. */
  @IsId()
  @IsOptional()
  core_config_id?: number | null;

  /** The API key of the node: 16 to 256 printable characters without spaces, and not the all-zero UUID. */
  @IsApiKey()
  @IsOptional()
  api_key?: string | null;

  /**
   * The factor by which traffic of the node counts for users from now on.
   * @decimal
   */
  @IsCoefficient()
  @IsOptional()
  usage_coefficient?: number | null;

  /** `disabled` stops the node; any other value enables it, and its state then follows from the connection. */
  @IsStatus()
  @IsOptional()
  status?: NodeStatus | null;
}

/** A node as the API shows it. The API key is never returned. */
export interface NodeView {
  /** The name of the node. */
  name: string;
  /** An IP address or a domain name. */
  address: string;
  /** The port on which the node listens. */
  port: number;
  /**
   * The factor by which traffic of the node counts for users.
   * @decimal
   */
  usage_coefficient: number;
  /** How management talks to the node. */
  connection_type: NodeConnection;
  /** The certificate that the node shows, or certificates of its authorities, in PEM. */
  server_ca: string;
  /** Seconds without a call after which the node stops its engine by itself; 0: never. */
  keep_alive: number;
  /** The id of the core configuration that the node runs; null: it was deleted. */
  core_config_id: number | null;
  /** The id of the node. */
  id: number;
  /** The version of the engine, the same as `core_version`; null: not reported yet. */
  xray_version: string | null;
  /** The version of the engine; null: not reported yet. */
  core_version: string | null;
  /** The version of the node's program; null: not reported yet. */
  node_version: string | null;
  /** Whether management is connected to the node. */
  status: NodeStatus;
  /** The present problem in a sentence; null: none. */
  message: string | null;
  /**
   * The kind of the problem of a node in `error`, for programs. `CORE_REFUSED`: the node or its engine does not accept the
   * core configuration. `START_FAILED`: its engine cannot run with it on this machine. Any other: the code of the call that
   * failed, such as `UNREACHABLE`; later versions may add some. Null: another problem, or none. A connected node has
   * `TRAFFIC_IMPLAUSIBLE` for a day after it has reported traffic that was not counted. `ENGINE_FALLBACK`, of a
   * connected node: its engine kept failing with what it was sent, so the last state that worked is used until it runs with
   * the other one. `TOO_MANY_FULL_SETS`, also of a connected node: it has needed all users again and again, and gets them
   * after a pause.
   */
  message_code: string | null;
  /** Whether the node still runs the core configuration that it had before the last change. */
  core_pending: boolean;
  /** Bytes that users have sent through the node. */
  uplink: number;
  /** Bytes that users have received through the node. */
  downlink: number;
  /** When the certificate of an enrolled node ends; it is renewed before. Null: the node has a certificate of its own. */
  certificate_expires_at: string | null;
  /** How often the node was found to hold other users than it should, and was sent all of them. */
  drift_count: number;
  /** When that was found last; null: never. */
  drift_found_at: string | null;
  /** How often the node has reported traffic that was not counted, because it cannot have carried it. */
  implausible_count: number;
  /** When that was found last; null: never. */
  implausible_found_at: string | null;
  /** Another text after every edit. A change that sends it as `If-Match` is refused when the object has another one. */
  version: string;
}
