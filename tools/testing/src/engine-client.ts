import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { enginePath } from './engine-path.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/**
 * Settings of the outbound `freedom` for tests whose users fetch from this machine: engines from 26.7 on block private
 * addresses by default. Version 26.3.27 ignores this key.
 */
export const ALLOW_PRIVATE = { finalRules: [{ action: 'allow' }] };

/** The member of a core whose users fetch from this machine: nodes keep users out of all other private networks. */
export const REACH_LOOPBACK = { private_networks: ['127.0.0.0/8', '::1/128'] };

/** An Xray process that plays the user's client. */
export interface EngineClient {
  /** Port on the loopback address where it listens as an HTTP proxy. */
  readonly port: number;
  /** Fetches a URL through the proxy and returns the body; rejects if there is no answer with status 200. */
  fetch(url: string, withinMs?: number): Promise<string>;
  close(): Promise<void>;
}

/** Runs the engine as a client that sends everything to one outbound, in the engine's own format. */
export async function startEngineClient(outbound: Record<string, unknown>): Promise<EngineClient> {
  const port = await freePort();
  return runEngine(port, {
    inbounds: [{ listen: '127.0.0.1', port, protocol: 'http' }],
    outbounds: [outbound],
  });
}

/** Runs a complete client configuration of a subscription; its inbounds are replaced by an HTTP proxy on a free port. */
export async function startEngineClientWith(config: Record<string, unknown>): Promise<EngineClient> {
  const port = await freePort();
  return runEngine(port, { ...config, inbounds: [{ listen: '127.0.0.1', port, protocol: 'http' }] });
}

/** Runs the engine as a server for these inbounds on the loopback address; it sends everything on. */
export async function startEngineServer(
  inbounds: readonly { readonly port: number }[],
): Promise<Pick<EngineClient, 'close'>> {
  const outbounds = [{ protocol: 'freedom', settings: ALLOW_PRIVATE }];
  return runEngine(inbounds.at(-1)?.port ?? 0, { inbounds, outbounds });
}

/** Runs the engine with a configuration; resolves when it listens on this port of the loopback address. */
export async function runEngine(port: number, config: Record<string, unknown>): Promise<EngineClient> {
  const child = spawn(enginePath(), ['run', '-c', 'stdin:'], { stdio: ['pipe', 'ignore', 'ignore'] });
  // An engine that exits at once breaks the pipe; the exit code below is the better error.
  child.stdin.on('error', () => undefined).end(JSON.stringify({ log: { loglevel: 'none' }, ...config }));
  try {
    await eventually(`the client listens on ${port}`, async () => {
      if (child.exitCode !== null) throw new Error(`the client ended with exit code ${child.exitCode}`);
      return listens(port);
    });
  } catch (error) {
    await end(child);
    throw error;
  }
  return { port, fetch: (url, withinMs) => fetchThrough(port, url, withinMs), close: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** Whether something listens on a port of the loopback address. */
export function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Sends a GET through an HTTP proxy on the loopback address, over a new connection, and returns the body. */
export function fetchThrough(port: number, url: string, withinMs = 5000): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path: url, headers: { host: new URL(url).host }, agent: false });
    call.setTimeout(withinMs, () => call.destroy(new Error(`no answer within ${withinMs} ms`)));
    call.once('error', reject);
    call.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const body = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`the proxy answered ${response.statusCode}`));
      });
    });
    call.end();
  });
}
