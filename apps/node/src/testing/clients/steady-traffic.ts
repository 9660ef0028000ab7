import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { Tunnel } from './tunnel.js';

const PING_BYTES = 4096;
const PAUSE_MS = 5;
/** Pause between two attempts to connect. */
const RETRY_MS = 20;

/**
 * Sends pings to an echo server through a client's HTTP proxy, each after the previous one has come back, so that the
 * transferred bytes are known at any moment. Reconnects when the connection ends.
 */
export class SteadyTraffic {
  /** Bytes sent on all connections. */
  sent = 0;
  /** Bytes received, in whole pings. */
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

  /** Bytes that had come back at that time. */
  receivedBy(time: number): number {
    return this.samples.findLast(({ at }) => at <= time)?.received ?? 0;
  }

  /**
   * Stops after the current ping: all sent bytes have then come back, except for the last ping of broken connections.
   */
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
