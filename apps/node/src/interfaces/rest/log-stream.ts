import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { LAST_EVENT_ID } from '@rampart/node-client';
import { whenResponseCloses } from '@rampart/program';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NodeService } from '../../node.service.js';
import { parseLastEventId } from '../messages/last-event-id.js';
import { eventStreamFrames, plainTextFrames } from './log-frames.js';

const HEARTBEAT_MS = 15_000;
/** Buffer for a slow reader, in bytes, since batches are of any size. */
const STREAM_BUFFER = { objectMode: false, highWaterMark: 16 * 1024 };
const EVENT_STREAM = 'text/event-stream';
const HEADERS = {
  'content-type': `${EVENT_STREAM}; charset=utf-8`,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/**
 * GET /logs: a stream that is open until the caller leaves or the node shuts down, and is read no faster than the
 * caller reads.
 */
@Injectable()
export class LogStream implements BeforeApplicationShutdown {
  private readonly readers = new Set<AbortController>();

  constructor(private readonly node: NodeService) {}

  async openLogStream({ headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const after = parseLastEventId(headers[LAST_EVENT_ID]?.toString());
    const reader = new AbortController();
    this.readers.add(reader);
    whenResponseCloses(reply.raw, () => {
      reader.abort();
      this.readers.delete(reader);
    });
    const batches = await this.node.logs({ after, signal: reader.signal, quietMs: HEARTBEAT_MS });
    const events = headers.authorization !== undefined || headers.accept?.includes(EVENT_STREAM);
    void reply
      .headers(HEADERS)
      .send(Readable.from(events ? eventStreamFrames(batches) : plainTextFrames(batches), STREAM_BUFFER));
  }

  beforeApplicationShutdown(): void {
    for (const reader of this.readers) reader.abort();
  }
}
