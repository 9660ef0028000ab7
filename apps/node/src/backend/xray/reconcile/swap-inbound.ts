import { type EngineApi, EngineRefusal } from '../api/engine-api.js';
import type { FilledInbound } from '../messages/inbound-template.js';
import type { LiveInbounds } from './live-inbounds.js';

export type InboundCalls = Pick<EngineApi, 'addInbound' | 'removeInbound'>;

/**
 * Replaces an inbound: adds the new one under its other tag, then removes the old one. Meanwhile both listen on the
 * port, so that no client is refused. Returns the reason when the new one cannot be added; the old one is unchanged
 * then.
 * @throws EngineNotAnswering, EngineRefusal when the state of the inbound is unknown
 */
export async function swapInbound(
  api: InboundCalls,
  inbounds: LiveInbounds,
  tag: string,
  { message, users }: FilledInbound,
): Promise<string | undefined> {
  const inbound = await inbounds.inboundOf(tag);
  try {
    await api.addInbound(message);
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    // A refused inbound may have left its tag behind.
    await api.removeInbound(message.tag).catch((ghost: unknown) => {
      if (!(ghost instanceof EngineRefusal)) throw ghost;
    });
    return error.message;
  }
  await api.removeInbound(inbound.tag);
  Object.assign(inbound, { tag: message.tag, users, guards: 0 });
  return undefined;
}
