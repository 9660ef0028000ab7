import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '@rampart/testing';
import type { Random } from './random.js';
import type { Group } from './users/group.js';
import type { Subject } from './users/subject.js';
import type { User } from './users/user.js';

const CHANGE_EVERY_MS = 200;
const RETRY_AFTER_MS = 200;

/** The users and groups of a run. Only `stable` users hold connections all the time; nothing about them ever changes. */
export interface Population {
  readonly stable: readonly User[];
  /** Disabled from the beginning to the end. */
  readonly refused: readonly User[];
  readonly toggled: readonly User[];
  readonly moved: readonly User[];
  /** The users who are deleted and created again. */
  readonly recreated: readonly User[];
  /** Members of a group whose inbounds change. */
  readonly grouped: readonly User[];
  readonly everywhere: Group;
  readonly firstOnly: Group;
  readonly edited: Group;
}

export const allUsers = (population: Population): User[] =>
  Object.values(population).flatMap((part) => (Array.isArray(part) ? (part as User[]) : []));

/** Changes users and groups all the time, through any of the managements. */
export class Changer {
  /** Changes that a management has confirmed. */
  confirmed = 0;
  /** Attempts that were answered with a server error or not at all. */
  repeated = 0;
  private paused = true;
  private idle: Promise<void> = Promise.resolve();

  constructor(
    private readonly population: Population,
    private readonly managements: readonly Api[],
    private readonly random: Random,
  ) {}

  resume(): void {
    this.paused = false;
    this.idle = this.run();
  }

  /** Stops changing; resolves when the change under way is confirmed. */
  async pause(): Promise<void> {
    this.paused = true;
    await this.idle;
  }

  /** Repeats a change until a management confirms it. */
  async confirm(subject: Subject): Promise<void> {
    while (!(await subject.apply(this.random.pick(this.managements)))) {
      this.repeated++;
      await wait(RETRY_AFTER_MS);
    }
    this.confirmed++;
  }

  private async run(): Promise<void> {
    while (!this.paused) {
      await this.confirm(this.change());
      await wait(CHANGE_EVERY_MS);
    }
  }

  /** Wants something new of one user or group, and returns it. */
  private change(): Subject {
    const { toggled, moved, recreated, everywhere, firstOnly, edited } = this.population;
    const changes: readonly (() => Subject)[] = [
      () => {
        const user = this.random.pick(toggled);
        user.active = !user.active;
        return user;
      },
      () => {
        const user = this.random.pick(moved);
        user.group = user.group === everywhere ? firstOnly : everywhere;
        return user;
      },
      () => {
        const user = this.random.pick(recreated);
        user.exists = !user.exists;
        return user;
      },
      () => {
        edited.nodes = edited.nodes.length === 1 ? everywhere.nodes : firstOnly.nodes;
        return edited;
      },
    ];
    return this.random.pick(changes)();
  }
}
