/** The channel on which replicas hear of changes, each once its transaction has committed. */
export const EVENTS_CHANNEL = 'rampart_events';

/** A change of an object, as all replicas hear of it. Nothing of the object itself travels, but for the state of one. */
export interface ChangeEvent {
  /** Different for each event. The numbers are those of the audit log, where the change has an entry. */
  readonly id: number;
  /** The kind of the object, such as `user` or `node`. */
  readonly type: string;
  /** What happened, such as `modify`. */
  readonly action: string;
  /** The name of a user or an admin, the id of any other object; null: many objects. */
  readonly key: string | null;
  /** The admins to whom a user belongs and belonged; null: everybody may hear of it. */
  readonly owners: readonly (number | null)[] | null;
  /** The name of whoever made the change; null where it was the service itself. */
  readonly by: string | null;
  /** The state, where the change is one of the state alone. */
  readonly status?: string;
}

/** An event without the number that the database gives it. */
export type NewEvent = Omit<ChangeEvent, 'id'>;

/**
 * An entry of the audit log that changed nothing, such as a login. Readers hear nothing of it, but they may go on after it,
 * since the numbers of events are those of the audit log.
 */
export interface SilentEntry {
  readonly id: number;
  readonly type: null;
}

/** The notification of a silent entry, without the number that the database gives it. */
export const SILENT: Omit<SilentEntry, 'id'> = { type: null };

/** What a notification tells; undefined for a text that tells nothing. */
export function parseEvent(payload: string): ChangeEvent | SilentEntry | undefined {
  try {
    const event: unknown = JSON.parse(payload);
    return isSilent(event) || isEvent(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

function isSilent(value: unknown): value is SilentEntry {
  const { id, type } = Object(value);
  return Number.isSafeInteger(id) && type === null;
}

function isEvent(value: unknown): value is ChangeEvent {
  const { id, type, action, key, owners, by } = Object(value);
  const texts = [type, action].every((text) => typeof text === 'string');
  const optional = [key, by].every((text) => text === null || typeof text === 'string');
  return Number.isSafeInteger(id) && texts && optional && (owners === null || Array.isArray(owners));
}
