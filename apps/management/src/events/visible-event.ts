import type { Actor } from '../access/actor.js';
import type { ChangeEvent } from '../change-events/change-event.js';

/** Kinds of objects that every admin may read. */
const FOR_ALL = ['group', 'user_template'];

/** An event as a reader gets it. */
export type VisibleEvent = Omit<ChangeEvent, 'id' | 'owners' | 'by'> & Partial<Pick<ChangeEvent, 'by'>>;

/** What an admin may hear of an event; undefined: nothing. Who made a change only sudo admins hear. */
export function visibleTo(actor: Actor, { id, owners, by, ...event }: ChangeEvent): VisibleEvent | undefined {
  const isAboutUsers = actor.scope === 'users';
  if (actor.isSudo && !isAboutUsers) return { ...event, by };
  if (FOR_ALL.includes(event.type)) return event;
  if (event.type === 'user') return actor.isSudo || owners === null || owners.includes(actor.id) ? event : undefined;
  return event.type === 'admin' && event.key === actor.username ? event : undefined;
}
