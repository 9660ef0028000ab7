import type { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { whenResponseCloses } from '@rampart/program';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../access/actor.js';
import type { ChangeEvent } from '../change-events/change-event.js';
import { ChangeFeed } from '../change-events/change-feed.js';
import { ManagementError } from '../errors/management-error.js';
import { EventStream } from './event-stream.js';
import { visibleTo } from './visible-event.js';

/** Maximum number of open streams of this process, and of one admin. */
const MAX_READERS = 1_000;
const MAX_READERS_OF_ADMIN = 50;
const HEARTBEAT_MS = 15_000;
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

interface Reader {
  readonly actor: Actor;
  readonly stream: EventStream;
}

/** Streams changes as Server-Sent Events until the reader leaves, its rights change, or management stops. */
@Injectable()
export class EventService implements BeforeApplicationShutdown {
  private readonly readers = new Set<Reader>();
  private heartbeat?: NodeJS.Timeout;

  constructor(private readonly feed: ChangeFeed) {
    feed.add({
      happened: (event) => {
        for (const reader of this.readers) tell(reader, event);
      },
      missed: () => {
        for (const { stream } of this.readers) stream.reset();
      },
    });
  }

  /** @param lastId the number of the last event that the reader has had */
  open(actor: Actor, reply: FastifyReply, lastId: string | undefined): Readable {
    this.checkNumber(actor);
    const reader = { actor, stream: new EventStream(() => this.feed.lastId) };
    this.begin(reader, lastId);
    this.readers.add(reader);
    this.heartbeat ??= setInterval(() => this.beat(), HEARTBEAT_MS).unref();
    whenResponseCloses(reply.raw, () => this.readers.delete(reader));
    void reply.headers(HEADERS);
    return reader.stream.body;
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.heartbeat);
    for (const { stream } of this.readers) stream.end();
    this.readers.clear();
  }

  private checkNumber({ id }: Actor): void {
    const own = [...this.readers].filter(({ actor }) => actor.id === id).length;
    if (this.readers.size >= MAX_READERS || own >= MAX_READERS_OF_ADMIN)
      throw new ManagementError('TOO_MANY_EVENT_READERS');
  }

  /** A reader goes on where it was, begins anew, or is told that it has missed something. */
  private begin(reader: Reader, lastId: string | undefined): void {
    const { stream } = reader;
    if (lastId === undefined) {
      stream.send('ready', this.feed.lastId);
      return;
    }
    const missed = this.feed.after(Number(lastId));
    if (!missed) {
      stream.reset();
      return;
    }
    stream.beat();
    for (const event of missed) tell(reader, event);
  }

  private beat(): void {
    for (const { stream } of this.readers) stream.beat();
  }
}

function tell({ actor, stream }: Reader, event: ChangeEvent): void {
  const visible = visibleTo(actor, event);
  if (visible) stream.send(event.type, event.id, visible);
}
