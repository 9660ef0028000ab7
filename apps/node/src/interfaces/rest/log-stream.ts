import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { LAST_EVENT_ID } from '@rampart/node-client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NodeService } from '../../node.service.js';
import { lastEventId } from '../last-event-id.js';
import { bareFrames, eventFrames } from './log-frames.js';

const HEARTBEAT_MS = 15_000;
const EVENT_STREAM = 'text/event-stream';
const HEADERS = {
  'content-type': `${EVENT_STREAM}; charset=utf-8`,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** GET /logs: open until the caller leaves or the node shuts down, and read no faster than the caller reads. */
@Injectable()
export class LogStream implements BeforeApplicationShutdown {
  private readonly readers = new Set<AbortController>();

  constructor(private readonly node: NodeService) {}

  open({ headers }: FastifyRequest, reply: FastifyReply): void {
    const after = lastEventId(headers[LAST_EVENT_ID]?.toString());
    const reader = new AbortController();
    const lines = this.node.logs({ signal: reader.signal, ...(after === undefined ? {} : { after }) });
    this.readers.add(reader);
    reply.raw.once('close', () => {
      reader.abort();
      this.readers.delete(reader);
    });
    const events = headers.authorization !== undefined || headers.accept?.includes(EVENT_STREAM);
    void reply.headers(HEADERS).send(Readable.from(events ? eventFrames(lines, HEARTBEAT_MS) : bareFrames(lines)));
  }

  beforeApplicationShutdown(): void {
    for (const reader of this.readers) reader.abort();
  }
}
