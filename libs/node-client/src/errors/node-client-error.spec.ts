import { describe, expect, it } from '@jest/globals';
import { NodeClientError, type NodeClientErrorCode, serverErrorCode } from './node-client-error.js';

describe(serverErrorCode.name, () => {
  it.each([
    ['USERS_REFUSED', 'any text', 'USERS_REFUSED'],
    [undefined, 'backend not initialized', 'BACKEND_NOT_INITIALIZED'],
    [undefined, 'core is not started yet\n', 'BACKEND_NOT_RUNNING'],
    [undefined, 'rpc error: failed to get sys stats: dial', 'ENGINE_NOT_ANSWERING'],
    ['A_CODE_OF_LATER', 'text', 'INTERNAL'],
    [undefined, 'text', 'INTERNAL'],
  ])('reads %s with "%s" as %s', (sent, text, code) => expect(serverErrorCode(sent, text, 'INTERNAL')).toBe(code));
});

describe(NodeClientError.name, () => {
  it.each<[NodeClientErrorCode, boolean]>([
    ['UNREACHABLE', true],
    ['TIMEOUT', true],
    ['ENGINE_NOT_ANSWERING', true],
    ['BACKEND_NOT_INITIALIZED', false],
    ['TLS_UNTRUSTED', false],
    ['USERS_REFUSED', false],
    ['CANCELLED', false],
  ])('a NodeClientError with the code %s is retryable: %s', (code, retryable) =>
    expect(new NodeClientError(code, '').retryable).toBe(retryable),
  );
});
