import { AsyncLocalStorage } from 'node:async_hooks';

const ids = new AsyncLocalStorage<string>();

/** The id under which the caller logs the call that runs now; undefined outside of calls, and for callers that send none. */
export const callId = (): string | undefined => ids.getStore();

/** Runs a call, so that its log lines carry the id. */
export const withCallId = <T>(id: string, work: () => T): T => ids.run(id, work);

/** Ends the bookkeeping of ids, which costs Node.js 20 time at every promise, until the next call begins. */
export const forgetCallIds = (): void => ids.disable();
