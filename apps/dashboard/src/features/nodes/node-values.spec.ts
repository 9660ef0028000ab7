import { describe, expect, it } from '@jest/globals';
import type { Node } from '../../api/types';
import { nodeBody, nodeValues } from './node-values';

const NODE = {
  name: 'near',
  address: '192.0.2.1',
  port: 62050,
  core_config_id: 1,
  usage_coefficient: 1,
  connection_type: 'grpc',
  keep_alive: 60,
} as Node;

describe(nodeBody.name, () => {
  it('has numbers as numbers and no spaces around texts, and leaves an emptied number to the API', () => {
    const before = nodeValues(NODE);
    expect(nodeBody(before)).toEqual(NODE);
    expect(nodeBody({ ...before, name: ' far ', core_config_id: '2', usage_coefficient: '1.5', port: '' })).toEqual({
      ...NODE,
      name: 'far',
      core_config_id: 2,
      usage_coefficient: 1.5,
      port: '',
    });
  });
});
