import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ErrorFilter } from './error.filter.js';
import { ManagementError } from './management-error.js';

const error = jest.spyOn(Logger.prototype, 'error');
beforeEach(() => {
  error.mockReturnValue();
});
afterEach(() => {
  error.mockReset();
});

/** The answer of the filter to a thrown value. */
function answer(thrown: unknown, destroyed = false) {
  const told: Record<string, unknown> = {};
  const reply = {
    raw: { destroyed },
    header: (name: string, value: string) => Object.assign(told, { [name]: value }),
    headers: (given: object) => Object.assign(told, given) && reply,
    status: (status: number) => Object.assign(told, { status }) && reply,
    send: (body: unknown) => Object.assign(told, { body }),
  };
  new ErrorFilter().catch(thrown, new ExecutionContextHost([{ routeOptions: { bodyLimit: 1 } }, reply]));
  return told;
}

describe(ErrorFilter.name, () => {
  it('logs unexpected errors, and does not show them', () => {
    const fault = new Error('secret');
    expect(answer(fault)).toEqual({ status: 500, body: { detail: 'Internal error', code: 'INTERNAL' } });
    expect(error.mock.calls).toEqual([[fault.stack]]);
  });

  it('does not log expected errors', () => {
    const body = { detail: 'The node does not answer', code: 'NODE_UNAVAILABLE' };
    expect(answer(new ManagementError('NODE_UNAVAILABLE'))).toEqual({ status: 503, body });
    expect(error).not.toHaveBeenCalled();
  });

  it('does not log that a client disconnected', () => {
    const broken = Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    answer(broken, true);
    expect(error).not.toHaveBeenCalled();
    answer(broken);
    expect(error).toHaveBeenCalledTimes(1);
  });

  it('sends the header for authentication, and those of the error', () => {
    expect(answer(new ManagementError('UNAUTHENTICATED', undefined, { 'retry-after': '5' }))).toEqual({
      status: 401,
      'www-authenticate': 'Bearer',
      'retry-after': '5',
      body: { detail: 'Could not validate credentials', code: 'UNAUTHENTICATED' },
    });
  });
});
