import { type BaseInfoResponse, NodeClientError } from '@rampart/node-client';
import { isTimeoutError } from '../connection/call-errors.js';
import { isOtherImplementation } from '../connection/other-implementation.js';

/** The longest timeout, as a multiple of the first. */
const MAX_FACTOR = 4;

/**
 * The timeout of the Starts of one node. A node of another implementation ends an engine whose Start is given up, so the
 * next Start gets twice the time: with the same time it might never end.
 */
export class StartTimeout {
  private factor = 1;

  constructor(private readonly firstMs: number) {}

  get milliseconds(): number {
    return this.firstMs * this.factor;
  }

  /** @param info the last answer of the node to another call */
  startFailed(error: unknown, info: BaseInfoResponse | undefined): unknown {
    if (!isTimeoutError(error) || !info || !isOtherImplementation(info)) return error;
    const givenUp = this.milliseconds;
    this.factor = Math.min(this.factor * 2, MAX_FACTOR);
    return new NodeClientError(
      'TIMEOUT',
      `a Start was given up after ${givenUp / 1_000} s, which ends the engine of this node: ` +
        `the next one may take ${this.milliseconds / 1_000} s; ` +
        'if the node still does not connect, give it fewer users or inbounds, or a faster machine',
      { cause: error },
    );
  }

  startSucceeded(): void {
    this.factor = 1;
  }
}
