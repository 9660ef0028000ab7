import type { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { whenResponseCloses } from '@rampart/program';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../access/actor.js';
import type { ChangeEvent } from '../change-events/change-event.js';
import { ChangeFeed, type FeedReader } from '../change-events/change-feed.js';
import { ManagementError } from '../errors/management-error.js';
import { isEventStream } from '../http/event-stream.js';
import { AccessHook } from './access.hook.js';

/** How often rights that end by time are looked up. A change of rights is heard of at once. */
const CHECK_MS = 10_000;
/** An answer ends when the database has not confirmed the right to read it for so long. */
const MAX_UNCONFIRMED_MS = 60_000;
/** After a change of these, whoever reads may have lost the right to. */
const CHANGES_ACCESS = ['admin', 'session', 'api_token'];

/** An answer that is still being written. */
interface OpenAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly body: Readable;
  /** When the right to read was last confirmed. */
  confirmedAt: number;
}

/**
 * Answers that are written while they are read, such as logs, events and long lists: each ends when whoever asked for it has
 * other rights than at its beginning. One check at a time serves all of them.
 */
@Injectable()
export class OpenAnswers implements FeedReader, BeforeApplicationShutdown {
  private readonly open = new Set<OpenAnswer>();
  private changedAt = Number.NEGATIVE_INFINITY;
  private isCheckDue = false;
  private isChecking = false;
  private timer?: NodeJS.Timeout;

  constructor(
    feed: ChangeFeed,
    private readonly access: AccessHook,
  ) {
    feed.add(this);
  }

  add(request: FastifyRequest, reply: FastifyReply, body: Readable): void {
    const began = performance.now() - reply.elapsedTime;
    const answer = { request, reply, body, confirmedAt: began };
    this.open.add(answer);
    whenResponseCloses(reply.raw, () => this.open.delete(answer));
    this.timer ??= setInterval(() => void this.check(), CHECK_MS).unref();
    // It may have taken long to begin the answer.
    if (this.changedAt >= began) void this.check();
  }

  happened({ type }: ChangeEvent): void {
    if (CHANGES_ACCESS.includes(type)) this.missed();
  }

  missed(): void {
    this.changedAt = performance.now();
    void this.check();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** One run at a time, because an older lookup must not replace the rights that a newer one has found. */
  private async check(): Promise<void> {
    this.isCheckDue = true;
    if (this.isChecking) return;
    this.isChecking = true;
    for (; this.isCheckDue; await this.checkAll()) this.isCheckDue = false;
    this.isChecking = false;
  }

  /** Looks each login up once, however many answers it reads. An open answer does not count as use of a login. */
  private async checkAll(): Promise<void> {
    const actors = new Map<string, Promise<Actor>>();
    for (const answer of [...this.open]) {
      const { request } = answer;
      const key = loginOf(request);
      try {
        const actor = actors.get(key) ?? this.access.actorStill(request);
        actors.set(key, actor);
        const { isSudo } = await actor;
        if (isSudo === request.actor?.isSudo) answer.confirmedAt = performance.now();
        else this.end(answer);
      } catch (error) {
        const isRefused = error instanceof ManagementError && error.status < 500;
        if (isRefused || performance.now() - answer.confirmedAt > MAX_UNCONFIRMED_MS) this.end(answer);
      }
    }
  }

  /** A list that ends here must not look whole, and a reader that lags behind gets nothing of what waits for it. */
  private end(answer: OpenAnswer): void {
    this.open.delete(answer);
    const { body, reply } = answer;
    const { raw } = reply;
    if (!isEventStream(reply) || !raw.headersSent || raw.writableNeedDrain) {
      raw.destroy();
      return;
    }
    body.unpipe(raw);
    raw.end();
  }
}

/** What decides who asks, and for what. */
const loginOf = ({ method, routeOptions, ip, headers }: FastifyRequest): string =>
  JSON.stringify([method, routeOptions.url, ip, headers.authorization, headers.cookie]);
