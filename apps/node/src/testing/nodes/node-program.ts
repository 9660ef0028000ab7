import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createNodeClient, type NodeClient } from '@rampart/node-client';
import { enginePath, eventually, programFile, showOutputOnFailure } from '@rampart/testing';

const APP = fileURLToPath(new URL('../../..', import.meta.url));
const TSC = join(APP, '../../node_modules/typescript/bin/tsc');

/** A program starts in a second, and in many times that on a busy machine. */
const PATIENCE_MS = 30_000;
const READY = /Ready for REST and gRPC on 127\.0\.0\.1:(\d+), certificate SHA-256 ([0-9A-F:]{95})/;

/** Compiles the program that `NodeProgram` runs, unless that is done. */
export async function buildNode(): Promise<void> {
  await promisify(execFile)(process.execPath, [TSC, '-b', APP]);
}

export interface NodeProgramOptions {
  readonly args?: readonly string[];
  /** A command that executes the program in its own process. */
  readonly wrapper?: readonly string[];
}

/** The built program as an operator runs it, with its output. */
export class NodeProgram {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<[code: number | null, signal: NodeJS.Signals | null]>;

  constructor(
    readonly settings: Record<string, string>,
    { args = [], wrapper = [] }: NodeProgramOptions = {},
  ) {
    // A killed program leaves no engine, except in tests that want one.
    const defaults = { XRAY_EXECUTABLE_PATH: enginePath(), RAMPART_NODE_KEEP_SECONDS: '0' };
    const env = { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir(), ...defaults, ...settings };
    const [command = '', ...rest] = [...wrapper, process.execPath, programFile('node'), ...args];
    this.child = spawn(command, rest, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    showOutputOnFailure('node', () => this.output);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk;
      });
    }
    this.ended = once(this.child, 'close') as typeof this.ended;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async exit(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    const [code] = await this.ended;
    return code;
  }

  /** Resolves when it listens, with its port and certificate fingerprint. */
  async ready(): Promise<{ readonly port: number; readonly fingerprint256: string }> {
    const [, port, fingerprint256 = ''] = await this.says(READY);
    return { port: Number(port), fingerprint256 };
  }

  /** A client, once the program listens. The caller closes it. */
  async client(
    transport: 'grpc' | 'rest' = 'grpc',
    apiKey = this.settings['RAMPART_API_KEY'] ?? '',
  ): Promise<NodeClient> {
    const { port, fingerprint256 } = await this.ready();
    return createNodeClient({ transport, host: '127.0.0.1', port, apiKey, tls: { fingerprint256 } });
  }

  says(text: RegExp): Promise<RegExpExecArray> {
    const isSaid = () => text.exec(this.output) ?? undefined;
    return eventually(`the program says ${text}`, isSaid, PATIENCE_MS).catch((error: Error) => {
      throw new Error(`${error.message}, but:\n${this.output}`);
    });
  }
}
