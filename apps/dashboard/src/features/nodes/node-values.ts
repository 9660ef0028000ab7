import type { Node, NodeModify } from '../../api/types';

/** The settings of a node that the form shows, under the names of the API. */
export interface NodeValues {
  name: string;
  address: string;
  port: number | string;
  core_config_id: string | null;
  usage_coefficient: number | string;
  connection_type: Node['connection_type'];
  keep_alive: number | string;
}

export const nodeValues = (node: Node): NodeValues => ({
  name: node.name,
  address: node.address,
  port: node.port,
  core_config_id: node.core_config_id === null ? null : `${node.core_config_id}`,
  usage_coefficient: node.usage_coefficient,
  connection_type: node.connection_type,
  keep_alive: node.keep_alive,
});

/** An emptied number is left to the API to refuse. */
const numberOf = (value: number | string | null) => (value === '' || value === null ? value : Number(value)) as number;

/** What the API is sent for the values of the form. */
export const nodeBody = (values: NodeValues): NodeModify => ({
  name: values.name.trim(),
  address: values.address.trim(),
  port: numberOf(values.port),
  core_config_id: numberOf(values.core_config_id),
  usage_coefficient: numberOf(values.usage_coefficient),
  connection_type: values.connection_type,
  keep_alive: numberOf(values.keep_alive),
});
