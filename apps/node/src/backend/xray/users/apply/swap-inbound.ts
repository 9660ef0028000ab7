import { type EngineApi, EngineRefusal } from '../../api/engine-api.js';
import type { InboundTemplates } from '../../api/inbound-template.js';
import type { ManagedInbound } from '../../config/inbounds.js';
import type { Member } from '../user-directory.js';
import type { LiveInbounds } from './live-inbounds.js';

export type InboundCalls = Pick<EngineApi, 'addInbound' | 'removeInbound'>;

/**
 * Puts an inbound up anew, with exactly these users, and takes the old one away. Meanwhile both listen on the port under
 * two tags, so that nobody is refused. Answers why it cannot be done, if so; then the old one is as it was.
 * @throws EngineSilence, EngineRefusal when nobody knows what is there
 */
export async function swapInbound(
  api: InboundCalls,
  templates: Pick<InboundTemplates, 'of'>,
  inbounds: LiveInbounds,
  { tag }: ManagedInbound,
  members: Iterable<Member>,
): Promise<string | undefined> {
  const inbound = await inbounds.of(tag);
  const next = inbounds.otherTagOf(tag);
  const filled = await fill(templates, tag, members, next);
  if (typeof filled === 'string') return filled;
  const { message, users, left } = filled;
  if (left.length > 0) {
    inbound.tooMany = users + 1;
    return `more than ${users} users do not fit into one message`;
  }
  try {
    await api.addInbound(message);
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    // Refused, it may still have left its tag behind.
    await api.removeInbound(next).catch((ghost: unknown) => {
      if (!(ghost instanceof EngineRefusal)) throw ghost;
    });
    return error.message;
  }
  await api.removeInbound(inbound.tag);
  Object.assign(inbound, { tag: next, users, guards: 0 });
  return undefined;
}

async function fill(templates: Pick<InboundTemplates, 'of'>, tag: string, members: Iterable<Member>, next: string) {
  try {
    return await templates.of(tag).with(members, next);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
