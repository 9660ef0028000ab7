// The node in its own process with a temporary data directory, called over gRPC.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createNodeClient } from '@rampart/node-client';

export const API_KEY = 'the-key-of-the-benchmark';
const APP = resolve(import.meta.dirname, '../../../apps/node/dist');
/** The program as the compiler wrote it, and as it is deployed (tools/bundle). */
const COMPILED = join(APP, 'main.js');
export const BUNDLE = join(APP, 'bundle/main.cjs');
/** As in deploy/Dockerfile and deploy/systemd. */
const MEMORY = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' };
const CALL_MS = 600_000;

export class NodeProcess {
  static async open(enginePath, main = COMPILED) {
    const dataDir = await mkdtemp(join(tmpdir(), 'rampart-bench-'));
    const child = spawn(process.execPath, [main], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        ...MEMORY,
        RAMPART_API_KEY: API_KEY,
        RAMPART_NODE_HOST: '127.0.0.1',
        RAMPART_NODE_PORT: '0',
        RAMPART_NODE_NAMES: '127.0.0.1',
        RAMPART_NODE_DATA_DIR: dataDir,
        // The engine ends with the benchmark.
        RAMPART_NODE_KEEP_SECONDS: '0',
        XRAY_EXECUTABLE_PATH: enginePath,
      },
    });
    const lines = createInterface({ input: child.stdout });
    for await (const line of lines) {
      const [, port] = /Ready for .* on .*:(\d+), /.exec(line) ?? [];
      if (port === undefined) continue;
      child.stdout.resume();
      const ca = await readFile(join(dataDir, 'tls', 'certificate.pem'), 'utf8');
      const options = { transport: 'grpc', host: '127.0.0.1', port: Number(port), apiKey: API_KEY, timeoutMs: CALL_MS };
      const client = createNodeClient({ ...options, tls: { ca } });
      // Opens the connection, so that it is not part of the first measurement.
      await client.info();
      return new NodeProcess(child, dataDir, client, Number(port), ca);
    }
    throw new Error('the node did not come up');
  }

  /** @param ca its certificate in PEM */
  constructor(child, dataDir, client, port, ca) {
    this.child = child;
    this.dataDir = dataDir;
    this.client = client;
    this.port = port;
    this.ca = ca;
  }

  get pid() {
    return this.child.pid;
  }

  async close() {
    await this.client.close();
    this.child.kill('SIGTERM');
    await once(this.child, 'exit');
    await rm(this.dataDir, { recursive: true });
  }
}

/** Resident memory of a process, and the sum of that of its children, in megabytes. */
export async function memoryOf(pid) {
  const children = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    if (Number(stat.split(') ').at(-1)?.split(' ')[1]) === pid) children.push(name);
  }
  const own = await residentMb(pid);
  const theirs = await Promise.all(children.map(residentMb));
  return { own, children: theirs.reduce((sum, megabytes) => sum + megabytes, 0) };
}

async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
