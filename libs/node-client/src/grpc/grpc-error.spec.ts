import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { callError } from './grpc-error.js';

describe(callError.name, () => {
  it('security row 117: is an error as others where a server sends a malformed status, which has no text', () => {
    const error = { code: status.INTERNAL, metadata: new Metadata() } as ServiceError;
    expect(callError(error, 'node:1')).toMatchObject({ code: 'INTERNAL', message: '' });
  });
});
