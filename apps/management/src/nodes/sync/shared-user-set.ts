/** Full sets that are kept at once: as many as ordinary nodes are started at once. */
const MAX_KEPT = 4;

/**
 * The users of one revision for each kind of node, read once for all such nodes that are started at the same time. They are
 * kept only while a start holds them, since 100,000 users take some 30 MB.
 */
export class SharedUserSet<Users> {
  private holders = 0;
  /** By the kind of node; the one that was used last stands last. */
  private readonly kept = new Map<string, { readonly revision: bigint; readonly users: Promise<Users> }>();

  /** Keeps the users that are read during the work until its end, for others that hold meanwhile. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.holders += 1;
    try {
      return await work();
    } finally {
      this.holders -= 1;
      if (this.holders === 0) this.kept.clear();
    }
  }

  /**
   * @param key the kind of node
   * @param read reads all users of this revision for this kind of node; they are always the same
   */
  read(key: string, revision: bigint, read: () => Promise<Users>): Promise<Users> {
    if (this.holders === 0) return read();
    const known = this.kept.get(key);
    const current = known?.revision === revision ? known : { revision, users: read() };
    this.kept.delete(key);
    this.kept.set(key, current);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    if (current !== known) {
      current.users.catch(() => {
        if (this.kept.get(key) === current) this.kept.delete(key);
      });
    }
    return current.users;
  }
}
