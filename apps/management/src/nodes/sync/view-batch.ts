import { EncodedUsers, type User } from '@rampart/node-client';
import type { ServedUser } from '../../user-store/served/served-users.js';
import type { CoreView } from './core-view.js';

/** By batch and by the key of the view: the workers of many nodes send the same ones. */
const BATCHES = new WeakMap<readonly ServedUser[], Map<string, ViewBatch>>();
/** So many encodings of a batch are kept: nodes that run the same inbounds nearly always leave out the same users. */
const MAX_ENCODINGS = 4;

/** A batch of changes for the nodes that run the same inbounds. */
export class ViewBatch {
  /** Users whom these nodes serve from now on. */
  readonly served: readonly ServedUser[];
  /** The other users, of whom only nodes may hear that hold them. */
  readonly others: readonly ServedUser[];
  /** By the ids of the users who were left out. */
  private readonly encodings = new Map<string, EncodedUsers>();

  private constructor(
    private readonly users: readonly ServedUser[],
    private readonly view: CoreView,
  ) {
    this.served = users.filter((user) => view.serves(user));
    this.others = this.served.length === users.length ? [] : users.filter((user) => !view.serves(user));
  }

  static of(users: readonly ServedUser[], view: CoreView): ViewBatch {
    const known = BATCHES.get(users) ?? new Map<string, ViewBatch>();
    const batch = known.get(view.key) ?? new ViewBatch(users, view);
    known.set(view.key, batch);
    BATCHES.set(users, known);
    return batch;
  }

  /** The users as nodes take them, in their order. @param leftOut ids of users who are left out */
  messages(leftOut: ReadonlySet<number>): User[] {
    return this.users.filter(({ id }) => !leftOut.has(id)).map((user) => this.view.nodeUser(user));
  }

  /** The same, encoded once for all nodes that leave out the same users. */
  encode(leftOut: ReadonlySet<number>): EncodedUsers {
    const key = [...leftOut].join();
    const known = this.encodings.get(key);
    if (known) return known;
    const encoded = EncodedUsers.forChanges();
    for (const user of this.users) if (!leftOut.has(user.id)) encoded.addComplete(this.view.nodeUser(user));
    this.encodings.set(key, encoded);
    const [oldest] = this.encodings.keys();
    if (this.encodings.size > MAX_ENCODINGS && oldest !== undefined) this.encodings.delete(oldest);
    return encoded;
  }
}
