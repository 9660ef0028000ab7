// The engine without the node, with a configuration like the node's, called directly through its API.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { addition, message, removal } from './users.mjs';

/** Interval between two attempts to reach the engine; the node uses the same. */
const POLL_MS = 15;
const PARALLEL_CALLS = 16;
const ALTER = '/xray.app.proxyman.command.HandlerService/AlterInbound';
const SYS_STATS = '/xray.app.stats.command.StatsService/GetSysStats';
const QUERY_STATS = '/xray.app.stats.command.StatsService/QueryStats';

export class EngineAlone {
  static async open(path, config) {
    const dir = await mkdtemp(join(tmpdir(), 'rampart-bench-'));
    const engine = new EngineAlone(dir, path, config);
    await engine.whenReady();
    return engine;
  }

  constructor(dir, path, config) {
    this.dir = dir;
    this.socket = join(dir, 'api.sock');
    this.child = spawn(path, ['run', '-c', 'stdin:'], { stdio: ['pipe', 'ignore', 'ignore'], env: {} });
    this.exited = once(this.child, 'exit');
    this.child.stdin.end(JSON.stringify(withApi(config, this.socket)));
    this.client = new Client(`unix:${this.socket}`, credentials.createInsecure(), {
      ...{ 'grpc.http_connect_target': 'dns:api:80', 'grpc.max_receive_message_length': -1 },
      ...{ 'grpc.initial_reconnect_backoff_ms': 10, 'grpc.min_reconnect_backoff_ms': 10 },
      ...{ 'grpc.max_reconnect_backoff_ms': 50, 'grpc.enable_http_proxy': 0 },
    });
  }

  get pid() {
    return this.child.pid;
  }

  /** Replaces users: first all removals, then all additions. */
  async replace(protocols, users) {
    await this.each(protocols.flatMap((protocol) => users.map((user) => removal(protocol, user))));
    await this.add(protocols, users);
  }

  add(protocols, users) {
    return this.each(protocols.flatMap((protocol) => users.map((user) => addition(protocol, user))));
  }

  counters() {
    return this.call(QUERY_STATS, message({ 1: 'user>>>' }));
  }

  async close() {
    this.client.close();
    this.child.kill('SIGKILL');
    await this.exited;
    await rm(this.dir, { recursive: true });
  }

  async each(requests) {
    const next = requests.values();
    const work = async () => {
      for (const request of next) await this.call(ALTER, request);
    };
    await Promise.all(Array.from({ length: PARALLEL_CALLS }, work));
  }

  async whenReady() {
    while (this.child.exitCode === null) {
      try {
        await access(this.socket);
        await this.call(SYS_STATS, new Uint8Array(), { deadline: Date.now() + 1000, waitForReady: true });
        return;
      } catch {
        await setTimeout(POLL_MS);
      }
    }
    throw new Error(`the engine ended with exit code ${this.child.exitCode}`);
  }

  call(method, request, { deadline, waitForReady = false } = {}) {
    const metadata = new Metadata({ waitForReady });
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        method,
        Buffer.from,
        (bytes) => bytes,
        request,
        metadata,
        { deadline },
        (error, answer) => (error ? reject(error) : resolve(answer)),
      );
    });
  }
}

/** Adds the API and the counters that the node adds to every configuration. */
function withApi(config, socket) {
  const counted = { statsUserUplink: true, statsUserDownlink: true, statsUserOnline: true };
  const system = ['Inbound', 'Outbound'].flatMap((side) => [`stats${side}Uplink`, `stats${side}Downlink`]);
  return {
    ...config,
    api: { tag: 'bench-api', services: ['HandlerService', 'StatsService', 'RoutingService', 'LoggerService'] },
    stats: {},
    policy: { levels: { 0: counted }, system: Object.fromEntries(system.map((name) => [name, true])) },
    inbounds: [{ tag: 'bench-in', listen: `${socket},0600`, protocol: 'http', settings: {} }, ...config.inbounds],
    routing: { rules: [{ type: 'field', inboundTag: ['bench-in'], outboundTag: 'bench-api' }] },
  };
}
