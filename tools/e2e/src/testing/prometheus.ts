import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, showOutputOnFailure } from '@rampart/testing';

/** The path of a program of Debian's package `prometheus`; undefined where it is not installed. */
const installed = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

export const PROMETHEUS = installed('prometheus');
export const PROMTOOL = installed('promtool');

/** The folder with the rules and the example configuration. */
export const RULES = join(import.meta.dirname, '../../../../deploy/prometheus');
export const DASHBOARD = join(import.meta.dirname, '../../../../deploy/grafana/rampart.json');

/** The names of the alerts of a file of rules, in its order. */
export const alertNames = (rules: string): string[] =>
  [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name as string);

/** Runs promtool; rejects with its output when it finds a problem. */
export async function promtool(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(PROMTOOL ?? 'promtool', args, { cwd: RULES });
  return stdout;
}

/**
 * The rules of the repository with every `for:` of one second, and nothing else changed, so that alerts fire within the
 * time of a test. `alerts.test.yml` tests the real durations.
 */
export const withShortDurations = (rules: string): string => rules.replaceAll(/^( +for:) .+$/gm, '$1 1s');

/** An alert as the API of Prometheus tells it. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
}

/** Debian's Prometheus, which scrapes targets every second and evaluates the alert rules with short durations. */
export class Prometheus {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
    private readonly folder: string,
  ) {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
  }

  /** @param targets `host:port` and token by the name of the job. */
  static async start(folder: string, targets: Record<string, { at: string; token: string }>): Promise<Prometheus> {
    await mkdir(folder, { recursive: true });
    const jobs = Object.entries(targets).map(([job_name, { at, token }]) => ({
      job_name,
      authorization: { credentials: token },
      static_configs: [{ targets: [at] }],
    }));
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: jobs,
    };
    // JSON is YAML.
    await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(config));
    const rules = await readFile(join(RULES, 'alerts.yml'), 'utf8');
    await writeFile(join(folder, 'alerts.yml'), withShortDurations(rules));
    const address = `127.0.0.1:${await freePort()}`;
    const args = [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ];
    const child = spawn(PROMETHEUS ?? 'prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const prometheus = new Prometheus(child, `http://${address}`, folder);
    showOutputOnFailure('Prometheus', () => prometheus.output);
    await eventually('Prometheus is ready', () => prometheus.isReady(), 30_000);
    return prometheus;
  }

  /** The alerts that fire now. */
  async firing(): Promise<Alert[]> {
    const { alerts } = await this.ask<{ alerts: Alert[] }>('/api/v1/alerts');
    return alerts.filter(({ state }) => state === 'firing');
  }

  /** The jobs whose last scrape succeeded. */
  async jobsUp(): Promise<string[]> {
    const { activeTargets } = await this.ask<{ activeTargets: { labels: { job: string }; health: string }[] }>(
      '/api/v1/targets',
    );
    return activeTargets.filter(({ health }) => health === 'up').map(({ labels }) => labels.job);
  }

  /** The series of an instant query, with their values as text. */
  async query(expression: string): Promise<{ metric: Record<string, string>; value: string }[]> {
    const { result } = await this.ask<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
      `/api/v1/query?query=${encodeURIComponent(expression)}`,
    );
    return result.map(({ metric, value: [, value] }) => ({ metric, value }));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await exited;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private async isReady(): Promise<boolean> {
    if (this.child.exitCode !== null) throw new Error(`Prometheus ended with ${this.child.exitCode}:\n${this.output}`);
    return fetch(`${this.url}/-/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  private async ask<T>(path: string): Promise<T> {
    const answer = await fetch(this.url + path);
    return ((await answer.json()) as { data: T }).data;
  }
}
