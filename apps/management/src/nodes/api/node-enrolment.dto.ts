import { IsDefined, IsOptional } from 'class-validator';
import { REQUIRED } from '../../validation/messages.js';
import type { NodeConnection } from '../store/node.entity.js';
import type { NodeView } from './node.dto.js';
import { IsCoefficient, IsConnection, IsId, IsNodeAddress, IsNodeName, IsPort, IsSeconds } from './node-rules.js';

/** A new node, to which management gives its API key and its certificate. */
export class NodeEnrol {
  /** The name, unique among nodes. */
  @IsNodeName()
  @IsDefined(REQUIRED)
  name: string;

  /** An IP address or a domain name, without scheme, port or brackets; the last part of a name is not a number. */
  @IsNodeAddress()
  @IsDefined(REQUIRED)
  address: string;

  /** The port to which management connects. Null or absent: 62050. */
  @IsPort()
  @IsOptional()
  port?: number | null;

  /** The port on which the node listens, where a router or container maps another one to it. Null or absent: `port`. */
  @IsPort()
  @IsOptional()
  listen_port?: number | null;

  /** How management talks to the node. Null or absent: `grpc`. */
  @IsConnection()
  @IsOptional()
  connection_type?: NodeConnection | null;

  /** Seconds without a call after which the node stops its engine by itself. Null or absent: 0, never. */
  @IsSeconds()
  @IsOptional()
  keep_alive?: number | null;

  /** The id of the core configuration that the node runs. Null or absent: 1, the default core. */
  @IsId()
  @IsOptional()
  core_config_id?: number | null;

  /**
   * The factor by which traffic of the node counts for users. Null or absent: 1.
   * @decimal
   */
  @IsCoefficient()
  @IsOptional()
  usage_coefficient?: number | null;
}

/** A node and its enrolment, which is shown only in this answer. */
export interface NodeEnrolment {
  /** The node. */
  node: NodeView;
  /**
   * The only setting that the node needs, `RAMPART_ENROLMENT=` and its value: API key, port, certificate and private key of
   * the node, and the certificate of the authority of this management. It is a secret.
   */
  enrolment: string;
}
