import { NodeError } from '../../errors/node-error.js';

/** Where a reader of the log has come to: the `last-event-id` of a REST header or of gRPC metadata. */
export function parseLastEventId(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,19}$/.test(text)) throw new NodeError('INVALID_ARGUMENT', 'Last-Event-ID must be the id of a log event');
  return BigInt(text);
}
