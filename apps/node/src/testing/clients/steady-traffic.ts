import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Tunnel } from './tunnel.js';

const PING_BYTES = 4096;
const PAUSE_MS = 5;
/** Between two tries to connect. */
const RETRY_MS = 20;

/**
 * Sends to an echo through a client's HTTP proxy, and waits for each ping to come back before the next: what a user has
 * transferred is known to the ping at any moment. Connects again whenever the connection ends.
 */
export class SteadyTraffic {
  /** Bytes that left, of all connections. */
  sent = 0;
  /** Bytes that came back, by whole pings. */
  received = 0;
  private readonly samples: { readonly at: number; readonly received: number }[] = [];
  private stopping = false;
  private readonly ended: Promise<void>;

  constructor(
    private readonly proxyPort: number,
    private readonly echoPort: number,
  ) {
    this.ended = this.run();
  }

  /** Bytes that had come back by then. */
  receivedBy(time: number): number {
    return this.samples.findLast(({ at }) => at <= time)?.received ?? 0;
  }

  /** After the ping that is under way: then what was sent has come back, but for the last ping of broken connections. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.stopping) await this.ping().catch(() => setTimeout(RETRY_MS));
  }

  private async ping(): Promise<void> {
    const tunnel = await Tunnel.open(this.proxyPort, this.echoPort);
    try {
      while (!this.stopping) {
        this.sent += PING_BYTES;
        await tunnel.echo(PING_BYTES);
        this.received += PING_BYTES;
        this.samples.push({ at: performance.now(), received: this.received });
        await setTimeout(PAUSE_MS);
      }
    } finally {
      tunnel.close();
    }
  }
}
