import type { EntityManager } from 'typeorm';

/** Users may have as many different sets of groups as there are users. */
const MAX_KNOWN = 1_000;

/** Which groups give their members inbounds now, of those that somebody asks for. */
export class Grants {
  /** In the order of the database. */
  private readonly granted: string[] = [];
  private readonly byGroup = new Map<number, string[]>();
  /** By the ids of groups: most users share their groups with many others. */
  private readonly known = new Map<string, readonly string[]>();

  private constructor() {}

  /** @param isWanted whether an inbound is asked for */
  static async read(manager: EntityManager, isWanted: (tag: string) => boolean): Promise<Grants> {
    const rows = await manager.query<{ tag: string; groups: number[] }[]>(
      `SELECT tag, array_remove(array_agg(id), NULL) AS groups FROM (
         SELECT id, unnest(inbound_tags) AS tag FROM groups WHERE NOT is_disabled
         UNION SELECT NULL, unnest(inbound_tags) FROM probe_user
       ) granted GROUP BY tag ORDER BY tag`,
    );
    const grants = new Grants();
    for (const { tag, groups } of rows.filter(({ tag }) => isWanted(tag))) {
      grants.granted.push(tag);
      for (const group of groups) grants.byGroup.set(group, [...(grants.byGroup.get(group) ?? []), tag]);
    }
    return grants;
  }

  /** The inbounds that users may have. */
  get tags(): readonly string[] {
    return this.granted;
  }

  /** The groups that give any of them. */
  get groupIds(): readonly number[] {
    return [...this.byGroup.keys()];
  }

  /** The inbounds of a member of these groups, each once. */
  tagsOf(groupIds: readonly number[]): readonly string[] {
    const key = groupIds.join();
    const known = this.known.get(key);
    if (known) return known;
    const own = new Set(groupIds.flatMap((id) => this.byGroup.get(id) ?? []));
    const tags = this.granted.filter((tag) => own.has(tag));
    if (this.known.size >= MAX_KNOWN) this.known.clear();
    this.known.set(key, tags);
    return tags;
  }
}
