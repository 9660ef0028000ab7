import type { Answer } from '@rampart/testing';
import { type Send, Subject } from './subject.js';

export const tagOf = (node: number): string => `in-${node}`;

export class Group extends Subject {
  constructor(
    readonly id: number,
    readonly name: string,
    /** The nodes, each of which has one inbound, that it lets its users connect to. */
    public nodes: readonly number[],
  ) {
    super(`/api/group/${id}`);
  }

  protected override async write(send: Send): Promise<boolean> {
    return this.confirmed(await send('PUT', this.path, { name: this.name, inbound_tags: this.nodes.map(tagOf) }));
  }

  protected override matches({ status, body }: Answer): boolean {
    const tags = (body as { inbound_tags?: string[] }).inbound_tags ?? [];
    return status === 200 && tags.toSorted().join() === this.nodes.map(tagOf).toSorted().join();
  }
}
