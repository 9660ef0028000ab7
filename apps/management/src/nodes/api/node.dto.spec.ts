import { describe, expect, it } from '@jest/globals';
import type { ManagementError } from '../../errors/management-error.js';
import { RequestPipe } from '../../validation/pipes/request.pipe.js';
import { LEAF } from '../testing/certificates.js';
import { NodeCreate } from './node.dto.js';

const NODE = {
  name: 'near',
  address: 'node.example',
  connection_type: 'grpc',
  server_ca: LEAF,
  keep_alive: 60,
  core_config_id: 1,
  api_key: '4f9c1d5e-60f7-4a3a-9d0b-2f5b8a7c6e11',
};
const ADDRESS = 'Input should be an IP address or a domain name, without scheme, port or brackets';
const COEFFICIENT = 'Input should be a number above 0 and at most 1000';
const PORT = 'Input should be an integer from 1 to 65535';
const SECONDS = 'Input should be a number of seconds from 0 to 2147483647';

const read = (values: object): unknown =>
  new RequestPipe().transform({ ...NODE, ...values }, { type: 'body', metatype: NodeCreate });

function problemsOf(values: object): ManagementError['detail'] | undefined {
  try {
    read(values);
    return undefined;
  } catch (error) {
    return (error as ManagementError).detail;
  }
}

describe(NodeCreate.name, () => {
  it.each([
    ['name', '', "name can't be empty"],
    ['name', 7, 'Input should be a string'],
    ['address', 'https://node.example', ADDRESS],
    ['address', 'node.example:62050', ADDRESS],
    ['address', '[::1]', ADDRESS],
    ['address', '256.1.1.1', ADDRESS],
    ['address', '-a.example', ADDRESS],
    ['address', 'a..example', ADDRESS],
    ['address', '', ADDRESS],
    ['address', '2852039166', ADDRESS],
    ['address', '0xa9fea9fe', ADDRESS],
    ['address', 'a.0x7f', ADDRESS],
    ['port', 0, PORT],
    ['port', 65_536, PORT],
    ['port', '62050', PORT],
    ['connection_type', 'http', "Input should be one of 'grpc', 'rest'"],
    ['server_ca', 'no pem', 'Invalid certificate format - must contain PEM certificate blocks'],
    ['keep_alive', -1, SECONDS],
    ['keep_alive', 1.5, SECONDS],
    ['core_config_id', 0, 'Input should be an integer from 1 to 2147483647'],
    ['api_key', 'short', 'Input must have 16 to 256 characters, has 5'],
    ['api_key', 'with a space in the key', 'Input must be printable ASCII without spaces'],
    ['api_key', '00000000-0000-0000-0000-000000000000', 'Input must not be the all-zero UUID'],
    ['usage_coefficient', 0, COEFFICIENT],
    ['usage_coefficient', -1, COEFFICIENT],
    ['usage_coefficient', 1_001, COEFFICIENT],
    ['usage_coefficient', '1', COEFFICIENT],
  ])('refuses %s %j', (field, value, problem) => {
    expect(problemsOf({ [field]: value })).toEqual({ [field]: problem });
  });

  it('refuses values that are too long and names all of them', () => {
    const long = { name: 'x'.repeat(257), server_ca: 'x'.repeat(16_385), api_key: 'x'.repeat(257) };
    expect(problemsOf(long)).toEqual({
      name: 'Input should have at most 256 characters',
      server_ca: 'Input should have at most 16384 characters',
      api_key: 'Input must have 16 to 256 characters, has 257',
    });
  });

  it.each(['::1', '2001:db8::7', '10.0.0.1', 'localhost', 'a.b-c.example', '1.example'])(
    'takes the address %s',
    (address) => {
      expect(read({ address })).toMatchObject({ address });
    },
  );

  it('drops unknown fields', () => {
    expect(Object.keys(read({ id: 7, status: 'connected' }) as object)).toEqual(Object.keys(NODE));
  });
});
