import type { Answer } from '@rampart/testing';
import type { Group } from './group.js';
import { type Send, Subject } from './subject.js';

export class User extends Subject {
  exists = true;
  active = true;

  constructor(
    readonly username: string,
    readonly uuid: string,
    public group: Group,
  ) {
    super(`/api/user/${username}`);
  }

  /** Whether the user should get through this node. */
  mayUse(node: number): boolean {
    return this.exists && this.active && this.group.nodes.includes(node);
  }

  protected override async write(send: Send): Promise<boolean> {
    if (!this.exists) return this.confirmed(await send('DELETE', this.path), 404);
    const wanted = { status: this.active ? 'active' : 'disabled', group_ids: [this.group.id] };
    const changed = await send('PUT', this.path, wanted);
    if (changed.status !== 404) return this.confirmed(changed);
    const settings = {
      username: this.username,
      group_ids: wanted.group_ids,
      proxy_settings: { vless: { id: this.uuid } },
    };
    const made = this.confirmed(await send('POST', '/api/user', settings), 409);
    return made && this.confirmed(await send('PUT', this.path, wanted), 404);
  }

  protected override matches({ status, body }: Answer): boolean {
    if (!this.exists || status !== 200) return !this.exists && status === 404;
    const stored = body as { status: string; group_ids: number[] };
    return stored.status === (this.active ? 'active' : 'disabled') && stored.group_ids.join() === `${this.group.id}`;
  }
}
