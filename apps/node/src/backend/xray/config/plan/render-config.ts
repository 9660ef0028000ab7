import { type JsonObject, objectAt, objectsAt, textAt } from '../json-tree.js';
import type { ManagedInbound } from '../managed-inbound.js';
import type { EnginePlan } from './engine-plan.js';

/** The node's private channel to the engine's API, which is new for each run. */
export interface ApiChannel {
  readonly tag: string;
  readonly inboundTag: string;
  /** The path of the socket, in a directory that only this account can enter. */
  readonly socketPath: string;
}

/** Writes the text that the engine reads: the plan with clients, and before everything else the channel to the API. */
export function renderConfig(
  { tree, apiServices, inbounds }: EnginePlan,
  channel: ApiChannel,
  clientsOf: (inbound: ManagedInbound) => readonly unknown[],
): string {
  const routing = objectAt(tree, 'routing', 'routing');
  return JSON.stringify({
    ...tree,
    api: { tag: channel.tag, services: [...apiServices] },
    inbounds: [
      { tag: channel.inboundTag, listen: `${channel.socketPath},0600`, protocol: 'http', settings: {} },
      ...objectsAt(tree, 'inbounds', 'inbounds').map((inbound) => {
        const managed = inbounds.get(textAt(inbound, 'tag'));
        return managed ? withClients(inbound, clientsOf(managed)) : inbound;
      }),
    ],
    routing: {
      ...routing,
      rules: [
        { type: 'field', inboundTag: [channel.inboundTag], outboundTag: channel.tag },
        ...objectsAt(routing, 'rules', 'routing.rules'),
      ],
    },
  });
}

/** Sets the clients and removes the inbound's flow: each client has its own, and some must have none. */
function withClients(inbound: JsonObject, clients: readonly unknown[]): JsonObject {
  const { flow: _resolved, ...settings } = objectAt(inbound, 'settings', 'settings');
  return { ...inbound, settings: { ...settings, clients } };
}
