import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';

interface ClientConfig {
  inbounds: { protocol: string; port: number }[];
}

/** A real Xray as the user's client, with a configuration from a subscription; only its local ports are changed. */
export class XrayClient {
  private constructor(
    private readonly child: ChildProcess,
    private readonly proxyPort: number,
    readonly log: () => string,
  ) {}

  static async start(engine: string, config: object): Promise<XrayClient> {
    const own = structuredClone(config) as ClientConfig;
    for (const inbound of own.inbounds) inbound.port = await freePort();
    const proxyPort = own.inbounds.find(({ protocol }) => protocol === 'http')?.port;
    if (proxyPort === undefined) throw new Error('the client configuration has no http inbound');
    const child = spawn(engine, ['run', '-c', 'stdin:'], { stdio: ['pipe', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text));
    child.stdin.end(JSON.stringify(own));
    const client = new XrayClient(child, proxyPort, () => log);
    await client.listening();
    return client;
  }

  private async listening(): Promise<void> {
    for (let attempt = 0; attempt < 400; attempt++) {
      if (this.child.exitCode !== null) throw new Error(`the client ended with ${this.child.exitCode}:\n${this.log()}`);
      if (await canConnect(this.proxyPort)) return;
      await sleep(25);
    }
    throw new Error(`the client does not listen:\n${this.log()}`);
  }

  /** Fetches a page through the proxy, on a connection of its own; undefined when the proxy lets nothing through. */
  fetch(url: string): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      const request = http.get(
        {
          host: '127.0.0.1',
          port: this.proxyPort,
          path: url,
          headers: { host: new URL(url).host },
          agent: false,
          timeout: 10_000,
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolve(response.statusCode === 200 ? Buffer.concat(chunks) : undefined));
          response.on('error', () => resolve(undefined));
        },
      );
      request.on('timeout', () => request.destroy());
      request.on('error', () => resolve(undefined));
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    http
      .get({ host: '127.0.0.1', port, path: '/', agent: false }, (response) => {
        response.destroy();
        resolve(true);
      })
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}
