import { setTimeout as wait } from 'node:timers/promises';
import type { Population } from './changer.js';
import type { Findings } from './findings.js';
import type { ByteBook } from './traffic/bytes.js';
import { type ClientEngine, keyOf } from './traffic/client-engine.js';
import { getsThrough, Stream } from './traffic/connection.js';
import type { User } from './users/user.js';

const TRY_EVERY_MS = 500;
const SAMPLE_EVERY_MS = 100;
const REOPEN_AFTER_MS = 200;
/** The limit is generous, because both cores are busy and packets may be delayed. */
const ANSWER_WITHIN_MS = 5_000;

/** Passes traffic as the users all the time, and notes what should not happen. */
export class Observer {
  /** Streams that were opened, and those that an engine kill has cut. */
  readonly streams = { opened: 0, cut: 0 };
  /** New connections that were tried, and those that failed while the engine was disturbed. */
  readonly tries = { made: 0, excused: 0 };
  private stopping = false;
  private readonly running: Promise<unknown>;
  private readonly open = new Set<Stream>();

  constructor(
    private readonly clients: ClientEngine,
    private readonly book: ByteBook,
    private readonly findings: Findings,
    { stable, refused }: Population,
    nodes: readonly number[],
  ) {
    this.running = Promise.all([
      this.sample(),
      ...nodes.flatMap((node) => stable.map((user) => this.keepStream(user, node))),
      ...nodes.map((node) => this.tryAgain(stable, (user) => this.expectThrough(user, node))),
      ...nodes.map((node) => this.tryAgain(refused, (user) => this.expectRefused(user, node))),
    ]);
  }

  /** Tries a new connection of a user over a node. */
  getsThrough({ username }: User, node: number, withinMs: number): Promise<boolean> {
    const key = keyOf(username, node);
    return getsThrough(this.clients.port(username, node), key, this.book.of(key), withinMs);
  }

  /** Ends all streams, such that everything that was sent arrives. */
  async end(): Promise<void> {
    this.stopping = true;
    await Promise.all([...this.open].map((stream) => stream.end(ANSWER_WITHIN_MS)));
    await this.running;
  }

  private async sample(): Promise<void> {
    while (!this.stopping) {
      this.book.sample(Date.now());
      await wait(SAMPLE_EVERY_MS);
    }
  }

  private async keepStream({ username }: User, node: number): Promise<void> {
    const key = keyOf(username, node);
    while (!this.stopping) {
      const port = this.clients.port(username, node);
      const stream = await Stream.open(port, key, this.book.of(key), ANSWER_WITHIN_MS);
      if (stream !== undefined) {
        this.streams.opened++;
        this.open.add(stream);
        if (this.stopping) void stream.end(ANSWER_WITHIN_MS);
        if (await stream.closed) this.noteCut(key, node, stream);
        this.open.delete(stream);
      }
      await wait(REOPEN_AFTER_MS);
    }
  }

  private noteCut(key: string, node: number, { since }: Stream): void {
    this.streams.cut++;
    if (!this.findings.disturbed(node, since, Date.now(), ['killed']))
      this.findings.breaks(`the stream ${key} was cut`);
  }

  private async tryAgain(users: readonly User[], check: (user: User) => Promise<void>): Promise<void> {
    for (let turn = 0; !this.stopping; turn++) {
      this.tries.made++;
      await check(users[turn % users.length] as User);
      await wait(TRY_EVERY_MS);
    }
  }

  private async expectThrough(user: User, node: number): Promise<void> {
    const since = Date.now();
    if (await this.getsThrough(user, node, ANSWER_WITHIN_MS)) return;
    if (this.findings.disturbed(node, since, Date.now(), ['killed', 'suspended'])) this.tries.excused++;
    else this.findings.breaks(`${user.username} did not get through node ${node}`);
  }

  private async expectRefused(user: User, node: number): Promise<void> {
    if (await this.getsThrough(user, node, TRY_EVERY_MS))
      this.findings.breaks(`${user.username}, who is disabled, got through node ${node}`);
  }
}
