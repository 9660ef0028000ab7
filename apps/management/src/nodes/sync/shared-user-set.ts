/**
 * The users of one revision, read once for all nodes that are started at the same time. They are kept only while a start holds
 * them, since 100,000 users take some 30 MB.
 */
export class SharedUserSet<Users> {
  private holders = 0;
  private current: { readonly revision: bigint; readonly users: Promise<Users> } | undefined;

  /** Keeps the users that are read during the work until its end, for others that hold meanwhile. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.holders += 1;
    try {
      return await work();
    } finally {
      this.holders -= 1;
      if (this.holders === 0) this.current = undefined;
    }
  }

  /** @param read reads all users of this revision; the users of a revision are always the same */
  read(revision: bigint, read: () => Promise<Users>): Promise<Users> {
    if (this.holders === 0) return read();
    if (this.current?.revision === revision) return this.current.users;
    const users = read();
    this.current = { revision, users };
    users.catch(() => {
      if (this.current?.users === users) this.current = undefined;
    });
    return users;
  }
}
