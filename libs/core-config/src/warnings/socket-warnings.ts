import { lenient } from '../read/attempt.js';
import type { Inbound } from '../read/inbound.js';
import type { JsonCursor } from '../read/json-cursor.js';
import { isUnixSocket } from '../read/listen.js';
import type { CoreConfigWarning } from './warning.js';

/**
 * Warns of fallbacks and targets of REALITY that are a socket of another program: whoever reaches the inbound speaks to it.
 *
 * @param inbounds all inbounds, also those that users do not get
 */
export function socketWarnings(root: JsonCursor, inbounds: readonly Inbound[]): CoreConfigWarning[] {
  const own = new Set(inbounds.filter(({ listen }) => listen.isSocket).map(({ listen }) => listen.address));
  return root
    .get('inbounds')
    .items()
    .flatMap((inbound) =>
      [...fallbacksOf(inbound), ...targetOf(inbound)].flatMap(({ place, type }) => {
        const { value, path } = place;
        const isSocket =
          typeof value === 'string' && (typeof type === 'string' ? type === 'unix' : isUnixSocket(value));
        if (!isSocket || own.has(value)) return [];
        const message = `inbound ${String(inbound.get('tag').value)} passes connections on to the socket ${value}, at which no inbound of this core listens: everybody who reaches the inbound can send anything to the program there, as the account of the engine`;
        return [{ path, code: 'foreign_socket' as const, message }];
      }),
    );
}

interface Destination {
  readonly place: JsonCursor;
  /** `unix` or another kind of network; where it is missing, the engine sees it by the destination. */
  readonly type: unknown;
}

const destination = (parent: JsonCursor, place: JsonCursor): Destination => ({
  place,
  type: parent.get('type').value || undefined,
});

const fallbacksOf = (inbound: JsonCursor): Destination[] =>
  (lenient(() => inbound.get('settings').get('fallbacks').items()) ?? []).flatMap(
    (fallback) => lenient(() => destination(fallback, fallback.get('dest'))) ?? [],
  );

function targetOf(inbound: JsonCursor): Destination[] {
  const found = lenient(() => {
    const stream = inbound.get('streamSettings');
    const settings = stream.get('realitySettings');
    const isUsed = String(stream.get('security').value).toLowerCase() === 'reality';
    return isUsed ? [destination(settings, settings.getFirst('target', 'dest'))] : [];
  });
  return found ?? [];
}
