import { beforeEach, describe, expect, it } from '@jest/globals';
import { BaseInfoResponse, NodeClientError } from '@rampart/node-client';
import { StartTimeout } from './start-timeout.js';

const TIMEOUT = new NodeClientError('TIMEOUT', 'no answer within 120000 ms');
const REFUSED = new NodeClientError('START_FAILED', 'the port is taken');
const OTHER = BaseInfoResponse.fromPartial({ version: '0.5.2' });
const RAMPART = BaseInfoResponse.fromPartial({ version: '0.5.0', coreType: 'xray' });

describe(StartTimeout.name, () => {
  let timeout: StartTimeout;
  beforeEach(() => {
    timeout = new StartTimeout(120_000);
  });

  it('doubles for a node of another implementation with each Start that was not over in time, up to four times', () => {
    const lasts = [120, 240, 480, 480].map((seconds) => {
      expect(timeout.milliseconds).toBe(seconds * 1_000);
      return timeout.startFailed(TIMEOUT, OTHER);
    });
    const messageOf = (given: number, next: number) =>
      `a Start was given up after ${given} s, which ends the engine of this node: the next one may take ${next} s; ` +
      'if the node still does not connect, give it fewer users or inbounds, or a faster machine';
    const expected = [messageOf(120, 240), messageOf(240, 480), messageOf(480, 480), messageOf(480, 480)];
    expect(lasts).toMatchObject(expected.map((message) => ({ code: 'TIMEOUT', message, cause: TIMEOUT })));
  });

  it('begins anew after a Start that succeeded', () => {
    timeout.startFailed(TIMEOUT, OTHER);
    timeout.startSucceeded();
    expect(timeout.milliseconds).toBe(120_000);
  });

  it.each([
    ['a node that goes on with its Start', TIMEOUT, RAMPART],
    ['a Start that was refused', REFUSED, OTHER],
    ['a node that has never answered', TIMEOUT, undefined],
  ])('stays for %s', (_case, error, info) => {
    expect(timeout.startFailed(error, info)).toBe(error);
    expect(timeout.milliseconds).toBe(120_000);
  });
});
