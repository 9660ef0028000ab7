import { type EngineApi, EngineRefusal } from '../api/engine-api.js';
import type { FilledInbound } from '../messages/inbound-template.js';
import type { LiveInbounds } from './live-inbounds.js';

export type InboundCalls = Pick<EngineApi, 'addInbound' | 'removeInbound'>;

/**
 * Puts an inbound up anew, as it was filled under its other tag, and takes the old one away. Meanwhile both listen on the
 * port under two tags, so that nobody is refused. Answers why it cannot be done, if so; then the old one is as it was.
 * @throws EngineSilence, EngineRefusal when nobody knows what is there
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
    // Refused, it may still have left its tag behind.
    await api.removeInbound(message.tag).catch((ghost: unknown) => {
      if (!(ghost instanceof EngineRefusal)) throw ghost;
    });
    return error.message;
  }
  await api.removeInbound(inbound.tag);
  Object.assign(inbound, { tag: message.tag, users, guards: 0 });
  return undefined;
}
