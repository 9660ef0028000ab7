import { describe, expect, it } from '@jest/globals';
import type { Node } from '../../api/types';
import { isAwaited, nodeBody, nodeValues } from './node-values';

const NODE = {
  name: 'near',
  address: '192.0.2.1',
  port: 62050,
  core_config_id: 1,
  usage_coefficient: 1,
  connection_type: 'grpc',
  keep_alive: 60,
} as Node;

describe('nodeBody', () => {
  it('nodeBody has numbers as numbers and no spaces around texts, and leaves an emptied number to the API', () => {
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

describe('isAwaited', () => {
  it('isAwaited is a node that has never told its version, unless it is disabled', () => {
    expect(isAwaited({ status: 'error', node_version: null })).toBe(true);
    expect(isAwaited({ status: 'connecting', node_version: null })).toBe(true);
    expect(isAwaited({ status: 'disabled', node_version: null })).toBe(false);
    expect(isAwaited({ status: 'error', node_version: '0.5.0' })).toBe(false);
  });
});
