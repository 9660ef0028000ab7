import { NodeClientError } from '../errors/node-client-error.js';

/** The NodeClientError of a call that must fail. */
export async function failureOf(call: Promise<unknown>): Promise<NodeClientError> {
  const error = await call.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof NodeClientError) return error;
  throw error;
}
