import { join } from 'node:path';
import { runArguments, type Service, servicesOf } from './compose.js';
import type { Podman } from './podman.js';

export const DEPLOY = join(import.meta.dirname, '../../../../deploy');

/** A host of an operator: compose files, an .env, and the containers, volumes and networks that they make. */
export class Host {
  private readonly services: Record<string, Service>;
  private readonly started = new Set<string>();

  /**
   * @param name prefix of everything on this host, and unique on this machine
   * @param env what the operator writes into .env
   */
  constructor(
    private readonly podman: Podman,
    readonly name: string,
    files: readonly string[],
    readonly env: Record<string, string>,
  ) {
    this.services = servicesOf(files.map((file) => join(DEPLOY, file)));
  }

  /** What `docker compose up --detach SERVICE` does. */
  async up(service: string): Promise<void> {
    const { options, image } = this.argumentsOf(service);
    for (const network of this.networks(service))
      if (!(await this.podman.succeeds('network', 'exists', network)))
        await this.podman.call('network', 'create', network);
    this.started.add(service);
    await this.podman.call('run', '--detach', '--name', this.container(service), ...options, image);
  }

  /** Runs a command in a running container, as `docker compose exec` does. */
  exec(service: string, ...command: string[]): Promise<string> {
    return this.podman.call('exec', this.container(service), ...command);
  }

  try(service: string, ...command: string[]): Promise<{ code: number; output: string; text: string }> {
    return this.podman.try('exec', this.container(service), ...command);
  }

  /** Runs a command in a new container with the volumes and settings of a service, as `docker compose run --rm` does. */
  async run(service: string, more: readonly string[], ...command: string[]): Promise<string> {
    const { options, image } = this.argumentsOf(service, ['ports', 'restart']);
    return this.podman.call('run', '--rm', ...options, ...more, image, ...command);
  }

  async logs(service: string): Promise<string> {
    return (await this.podman.try('logs', this.container(service))).text;
  }

  container = (service: string): string => `${this.name}-${service}`;

  argumentsOf(name: string, without: readonly (keyof Service)[] = []) {
    const service = this.services[name];
    if (service === undefined) throw new Error(`no compose file of ${this.name} has a service ${name}`);
    const kept = Object.fromEntries(Object.entries(service).filter(([key]) => !without.includes(key as keyof Service)));
    return runArguments(kept as unknown as Service, this.env, this.name);
  }

  private networks = (name: string): string[] =>
    (this.services[name]?.networks ?? []).map((network) => `${this.name}-${network}`);

  /** Removes the containers and their volumes: all data of this host. */
  async wipe(): Promise<void> {
    for (const service of this.started) await this.podman.try('rm', '--force', '--time', '0', this.container(service));
    this.started.clear();
    const volumes = Object.values(this.services).flatMap(({ volumes = [] }) => volumes.map((one) => one.split(':')[0]));
    for (const volume of new Set(volumes)) await this.podman.try('volume', 'rm', '--force', `${this.name}-${volume}`);
  }

  /** What `docker compose down --volumes` does. */
  async destroy(): Promise<void> {
    await this.wipe();
    const networks = new Set(Object.keys(this.services).flatMap((service) => this.networks(service)));
    for (const network of networks) await this.podman.try('network', 'rm', '--force', network);
  }
}
