import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { whenResponseCloses } from '@rampart/program';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import { ManagementError } from '../../errors/management-error.js';
import { NodeReadClient, toManagementError } from '../connection/node-read-client.js';
import { findNode } from '../store/node.repository.js';
import { logEvents } from './node-log-events.js';

/** Each has a connection to its node. */
export const MOST_READERS = 100;
const HEARTBEAT_MS = 15_000;
/** Then the reader comes back by itself, if it still may. */
const LONGEST_MS = 3_600_000;
/** What is made ready for a slow reader, in bytes: the rest waits at the node, which drops the oldest. */
const AHEAD = { objectMode: false, highWaterMark: 16 * 1024 };
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** A node's log as Server-Sent Events: until the caller leaves, the connection to the node breaks, or management ends. */
@Injectable()
export class NodeLogService implements BeforeApplicationShutdown {
  private readonly readers = new Set<AbortController>();

  constructor(
    private readonly database: DataSource,
    private readonly reader: NodeReadClient,
  ) {}

  async open(id: number, reply: FastifyReply): Promise<Readable> {
    if (this.readers.size >= MOST_READERS) throw new ManagementError('TOO_MANY_LOG_READERS');
    const { signal } = this.admit(reply);
    const client = await this.reader.connectNode(await findNode(this.database.manager, id));
    const close = () => void client.close();
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    try {
      // Whether the node can be read is said by the status; behind the headers nothing more can be said.
      await client.info({ signal });
    } catch (error) {
      close();
      throw toManagementError(error);
    }
    void reply.headers(HEADERS);
    return Readable.from(logEvents(client.logs({ signal, resume: false }), HEARTBEAT_MS), AHEAD);
  }

  beforeApplicationShutdown(): void {
    for (const reader of this.readers) reader.abort();
  }

  private admit({ raw }: FastifyReply): AbortController {
    const reader = new AbortController();
    const timer = setTimeout(() => reader.abort(), LONGEST_MS);
    this.readers.add(reader);
    whenResponseCloses(raw, () => {
      clearTimeout(timer);
      reader.abort();
      this.readers.delete(reader);
    });
    return reader;
  }
}
