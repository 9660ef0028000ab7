import type { EnginePlan } from './engine-plan.js';
import type { ManagedInbound } from './inbounds.js';
import { type Json, type JsonObject, objectAt, objectsAt, textAt } from './json-tree.js';

/** The node's private way to the API of one run. */
export interface ApiChannel {
  readonly tag: string;
  readonly inboundTag: string;
  /** In a directory that only this account can enter. */
  readonly socketPath: string;
}

/** The text is handed on in pieces of about this length. */
const PIECE_LENGTH = 65_536;

/**
 * The text that the engine gets, piece by piece: the plan, the way to the API before everything else, and the users of
 * this moment. With many users it would be too large to be made at once.
 */
export function* renderConfig(
  plan: EnginePlan,
  channel: ApiChannel,
  clientsOf: (inbound: ManagedInbound) => Iterable<Json>,
): Generator<string, void> {
  const managed = objectsAt(plan.tree, 'inbounds', 'inbounds').flatMap(
    (inbound) => plan.inbounds.get(textAt(inbound, 'tag')) ?? [],
  );
  // Stands where a list of users belongs; nothing of the user's begins like it.
  const place = [channel.tag];
  const parts = JSON.stringify(withPlaces(plan, channel, place)).split(JSON.stringify(place));
  for (const [index, part] of parts.entries()) {
    yield part;
    const inbound = managed[index];
    if (inbound !== undefined) yield* listText(clientsOf(inbound));
  }
}

function* listText(items: Iterable<Json>): Generator<string, void> {
  let piece = '[';
  let separator = '';
  for (const item of items) {
    piece += separator + JSON.stringify(item);
    separator = ',';
    if (piece.length >= PIECE_LENGTH) {
      yield piece;
      piece = '';
    }
  }
  yield `${piece}]`;
}

function withPlaces({ tree, apiServices, inbounds }: EnginePlan, channel: ApiChannel, place: Json[]): JsonObject {
  const routing = objectAt(tree, 'routing', 'routing');
  return {
    ...tree,
    api: { tag: channel.tag, services: [...apiServices] },
    inbounds: [
      { tag: channel.inboundTag, listen: `${channel.socketPath},0600`, protocol: 'http', settings: {} },
      ...objectsAt(tree, 'inbounds', 'inbounds').map((inbound) =>
        inbounds.has(textAt(inbound, 'tag')) ? withClients(inbound, place) : inbound,
      ),
    ],
    routing: {
      ...routing,
      rules: [
        { type: 'field', inboundTag: [channel.inboundTag], outboundTag: channel.tag },
        ...objectsAt(routing, 'rules', 'routing.rules'),
      ],
    },
  };
}

/** The flow stands in every client already; the engine would give the inbound's to users who must not have it. */
function withClients(inbound: JsonObject, clients: Json[]): JsonObject {
  const { flow: _resolved, ...settings } = objectAt(inbound, 'settings', 'settings');
  return { ...inbound, settings: { ...settings, clients } };
}
