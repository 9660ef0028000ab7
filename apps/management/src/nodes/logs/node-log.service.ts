import { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { whenResponseCloses } from '@rampart/program';
import type { FastifyReply } from 'fastify';
import { DataSource } from 'typeorm';
import type { Actor } from '../../access/actor.js';
import { ManagementError } from '../../errors/management-error.js';
import { ReaderPlaces } from '../../http/reader-places.js';
import { NodeReadClient, toManagementError } from '../connection/node-read-client.js';
import { NodeRepository } from '../store/node.repository.js';
import { logEvents } from './node-log-events.js';

/** Maximum number of open logs, each of which has its own connection to a node. */
export const MAX_LOG_READERS = 100;
const LIMITS = { all: MAX_LOG_READERS, ofAdmin: MAX_LOG_READERS, ofTokens: 80, ofToken: 20 };
const HEARTBEAT_MS = 15_000;
/** Maximum time of one stream. Browsers then reconnect, and their access is checked again. */
const MAX_STREAM_MS = 3_600_000;
/** Bytes that are buffered for a slow reader. Further lines wait at the node, which drops the oldest. */
const BUFFERING = { objectMode: false, highWaterMark: 16 * 1024 };
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** Streams the log of a node as Server-Sent Events until the reader leaves, the node is gone or management stops. */
@Injectable()
export class NodeLogService implements BeforeApplicationShutdown {
  private readonly readers = new Set<AbortController>();
  private readonly places = new ReaderPlaces(LIMITS);

  constructor(
    private readonly database: DataSource,
    private readonly nodes: NodeRepository,
    private readonly client: NodeReadClient,
  ) {}

  async open(actor: Actor, id: number, reply: FastifyReply): Promise<Readable> {
    const { signal } = this.admit(actor, reply);
    const client = await this.client.connectNode(await this.nodes.findNode(this.database.manager, id));
    const close = () => void client.close();
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
    try {
      // A node that cannot be read must be reported now, because the status cannot change after the headers.
      await client.info({ signal, maxEntries: 0 });
    } catch (error) {
      close();
      throw toManagementError(error);
    }
    void reply.headers(HEADERS);
    return Readable.from(logEvents(client.logs({ signal, resume: false }), HEARTBEAT_MS), BUFFERING);
  }

  beforeApplicationShutdown(): void {
    for (const reader of this.readers) reader.abort();
  }

  private admit(actor: Actor, { raw }: FastifyReply): AbortController {
    const leave = this.places.take(actor);
    if (!leave) throw new ManagementError('TOO_MANY_LOG_READERS');
    const reader = new AbortController();
    const timer = setTimeout(() => reader.abort(), MAX_STREAM_MS);
    this.readers.add(reader);
    whenResponseCloses(raw, () => {
      clearTimeout(timer);
      reader.abort();
      this.readers.delete(reader);
      leave();
    });
    return reader;
  }
}
