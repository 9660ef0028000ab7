import { NodeError } from '../../errors/node-error.js';

/** Parses `last-event-id`, the last log event that a reader has received, from a REST header or gRPC metadata. */
export function parseLastEventId(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,19}$/.test(text)) throw new NodeError('INVALID_ARGUMENT', 'Last-Event-ID must be the id of a log event');
  return BigInt(text);
}
