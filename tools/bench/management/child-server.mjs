// An HTTP server in its own process, and the connection that measures it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';

export class ChildServer {
  /** Starts a program. @param ready pattern whose first group is the port in the line that tells that the program listens */
  static async start(args, env, ready) {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    for await (const line of createInterface({ input: child.stdout })) {
      const [, port] = ready.exec(line) ?? [];
      if (port === undefined) continue;
      child.stdout.resume();
      return new ChildServer(child, Number(port));
    }
    throw new Error(`${args[0]} did not come up`);
  }

  constructor(child, port) {
    this.child = child;
    this.port = port;
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.headers = {};
  }

  /** Sends a request; returns the answer, and the milliseconds until its last byte. */
  call(method, path, body) {
    const sent = body === undefined ? '' : JSON.stringify(body);
    const headers = sent === '' ? this.headers : { ...this.headers, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const began = performance.now();
      const options = { host: '127.0.0.1', port: this.port, agent: this.agent, method, path, headers };
      request(options, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const ms = performance.now() - began;
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode < 300) resolve({ ms, text });
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
        });
      })
        .on('error', reject)
        .end(sent);
    });
  }

  /** Opens another connection to the same program. */
  another() {
    const other = new ChildServer(this.child, this.port);
    other.headers = this.headers;
    return other;
  }

  disconnect() {
    this.agent.destroy();
  }

  async close() {
    this.disconnect();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
  }
}
