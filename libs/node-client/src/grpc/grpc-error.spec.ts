import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import { callError } from './grpc-error.js';

describe(callError.name, () => {
  it('security row 107: is an error as others where a server sends a malformed status, which has no text', () => {
    const error = Object.assign(new Error(), {
      code: status.INTERNAL,
      metadata: new Metadata(),
    }) as Error as ServiceError;
    expect(callError(error, 'node:1')).toMatchObject({ code: 'INTERNAL', message: '' });
  });

  it('security row 107: is one of the protocol where grpc-js has no status', () => {
    expect(callError(new Error('no such compression'), 'node:1')).toMatchObject({
      code: 'PROTOCOL',
      message: 'no such compression',
    });
  });
});
