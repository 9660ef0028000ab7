import type { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { whenResponseCloses } from '@rampart/program';
import type { FastifyReply } from 'fastify';
import type { Actor } from '../access/actor.js';
import type { ChangeEvent } from '../change-events/change-event.js';
import { ChangeFeed } from '../change-events/change-feed.js';
import { ManagementError } from '../errors/management-error.js';
import { ReaderPlaces } from '../http/reader-places.js';
import { EventStream } from './event-stream.js';
import { visibleTo } from './visible-event.js';

/** Maximum numbers of open streams of this process. */
const LIMITS = { all: 1_000, ofAdmin: 50, ofTokens: 40, ofToken: 20 };
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
  private readonly places = new ReaderPlaces(LIMITS);
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
    const leave = this.places.take(actor);
    if (!leave) throw new ManagementError('TOO_MANY_EVENT_READERS');
    const reader = { actor, stream: new EventStream(() => this.feed.lastId) };
    this.begin(reader, lastId);
    this.readers.add(reader);
    this.heartbeat ??= setInterval(() => this.beat(), HEARTBEAT_MS).unref();
    whenResponseCloses(reply.raw, () => {
      this.readers.delete(reader);
      leave();
    });
    void reply.headers(HEADERS);
    return reader.stream.body;
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.heartbeat);
    for (const { stream } of this.readers) stream.end();
    this.readers.clear();
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
