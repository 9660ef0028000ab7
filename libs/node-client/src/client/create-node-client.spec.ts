import { describe, expect, it } from '@jest/globals';
import type { NodeClientOptions } from '../api/node-client.js';
import { createNodeClient } from './create-node-client.js';

const options: NodeClientOptions = {
  transport: 'grpc',
  host: 'node.example',
  port: 62_050,
  apiKey: 'a-key-of-enough-characters',
  tls: 'system',
};

describe(createNodeClient.name, () => {
  it.each<[Partial<NodeClientOptions>, string]>([
    [{ host: 'https://node' }, 'host must be a name or an address, without brackets or port'],
    [{ host: '[::1]' }, 'host must be a name or an address, without brackets or port'],
    [{ host: '' }, 'host must be a name or an address, without brackets or port'],
    [{ host: 'node.example:62050' }, 'host must be a name or an address, without brackets or port'],
    [{ host: '1.2.3.999' }, 'host must be a name or an address, without brackets or port'],
    [{ address: 'node.example' }, 'address must be an IP address'],
    [{ port: 0 }, 'port must be an integer from 1 to 65535'],
    [{ port: 65_536 }, 'port must be an integer from 1 to 65535'],
    [{ apiKey: 'short' }, 'apiKey must have 16 to 256 characters, has 5'],
    [{ timeoutMs: 0 }, 'timeoutMs must be greater than 0; use Infinity for no end'],
    [{ tls: { fingerprint256: 'AB' } }, 'tls.fingerprint256 must be 64 hexadecimal digits'],
    [{ tls: { ca: 'no PEM' } }, 'tls.ca must be a certificate in PEM form'],
  ])('refuses %j', (wrong, message) => {
    expect(() => createNodeClient({ ...options, ...wrong })).toThrow(
      expect.objectContaining({ name: 'NodeClientError', code: 'INVALID_ARGUMENT', message }),
    );
  });
});
