import { isIP } from 'node:net';
import { apiKeyProblem } from '@rampart/node-client';
import { Type } from 'class-transformer';
import {
  IsDefined,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { oneOf, REQUIRED, STRING } from '../http/messages.js';
import { Page } from '../http/page.js';
import { MaxCharacters } from '../http/rules.js';
import type { Node, NodeConnection, NodeStatus } from './node.entity.js';
import { serverCaProblem } from './server-ca.js';

const LARGEST = 2 ** 31 - 1;
const CONNECTIONS: readonly NodeConnection[] = ['grpc', 'rest'];
const PORT = { message: 'Input should be an integer from 1 to 65535' };
const SECONDS = { message: `Input should be a number of seconds from 0 to ${LARGEST}` };
const ID = { message: `Input should be an integer from 1 to ${LARGEST}` };
const LARGEST_COEFFICIENT = 1000;
const COEFFICIENT = { message: `Input should be a number above 0 and at most ${LARGEST_COEFFICIENT}` };
const HOST_NAME = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;

/** A rule that a function of ours tells; it is asked for texts only. */
const Obeys = (name: string, problemOf: (text: string) => string | undefined): PropertyDecorator =>
  ValidateBy({
    name,
    validator: {
      validate: (value) => typeof value !== 'string' || problemOf(value) === undefined,
      defaultMessage: (args) => problemOf(String(args?.value)) ?? '',
    },
  });

function addressProblem(text: string): string | undefined {
  const allDigits = /^[\d.]+$/.test(text);
  if (isIP(text) !== 0 || (!allDigits && text.length <= 253 && HOST_NAME.test(text))) return undefined;
  return 'Input should be an IP address or a domain name, without scheme, port or brackets';
}

function keyProblem(text: string): string | undefined {
  const problem = apiKeyProblem(text);
  return problem && `Input ${problem}`;
}

export class NodeCreate {
  @MaxCharacters(256)
  @IsNotEmpty({ message: "name can't be empty" })
  @IsString(STRING)
  @IsDefined(REQUIRED)
  name: string;

  @Obeys('isAddress', addressProblem)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  address: string;

  @Max(65_535, PORT)
  @Min(1, PORT)
  @IsInt(PORT)
  @IsOptional()
  port?: number | null;

  @IsIn(CONNECTIONS, oneOf(CONNECTIONS))
  @IsDefined(REQUIRED)
  connection_type: NodeConnection;

  @Obeys('isServerCa', serverCaProblem)
  @MaxCharacters(16_384)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  server_ca: string;

  @Max(LARGEST, SECONDS)
  @Min(0, SECONDS)
  @IsInt(SECONDS)
  @IsDefined(REQUIRED)
  keep_alive: number;

  @Max(LARGEST, ID)
  @Min(1, ID)
  @IsInt(ID)
  @IsDefined(REQUIRED)
  core_config_id: number;

  @Obeys('isApiKey', keyProblem)
  @IsString(STRING)
  @IsDefined(REQUIRED)
  api_key: string;

  @Max(LARGEST_COEFFICIENT, COEFFICIENT)
  @Min(Number.MIN_VALUE, COEFFICIENT)
  @IsNumber({}, COEFFICIENT)
  @IsOptional()
  usage_coefficient?: number | null;
}

/** `backend_id` is the name that existing clients use for the core's id. */
export class NodeQuery extends Page {
  @Max(LARGEST, ID)
  @Min(1, ID)
  @IsInt(ID)
  @Type(() => Number)
  @IsOptional()
  backend_id?: number;
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
