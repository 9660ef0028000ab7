import { Injectable, Logger } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { Any, DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import {
  invalidFields,
  MANAGEMENT_ERRORS,
  ManagementError,
  type ManagementErrorCode,
} from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { checkDownloadHosts, clearDownloadHost } from './download-hosts.js';
import { type CheckedHostView, HostCreate, HostElement, type HostView } from './host.dto.js';
import { Host } from './host.entity.js';
import { checkedHostView, hostColumns, hostView } from './host.view.js';
import { validHost } from './valid-host.js';

const BY_PRIORITY = { priority: 'ASC', id: 'ASC' } as const;
/** A statement has at most 65,535 parameters, and a host has 22 columns. */
const BATCH_SIZE = 1_000;

@Injectable()
export class HostService {
  private readonly logger = new Logger('Hosts');

  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create(request: HostCreate): Promise<CheckedHostView> {
    const inbounds = await this.inboundsFor([request]);
    const host = await this.change(async (manager) => {
      const created = await manager.save(manager.create(Host, hostColumns(request)));
      await checkDownloadHosts(manager, [created.id]);
      await recordAudit(manager, { action: 'host.create', target: `host/${created.id}`, after: hostView(created) });
      return created;
    });
    return checkedHostView(host, inbounds, await this.downloadHostOf(host));
  }

  async get(id: number): Promise<HostView> {
    return hostView(await find(this.database.manager, id));
  }

  async list(page: Page): Promise<HostView[]> {
    return sound(await this.database.manager.find(Host, { order: BY_PRIORITY, ...windowOf(page) })).map(hostView);
  }

  /** Replaces the host as a whole: what the request leaves out has its default. */
  async modify(id: number, request: HostCreate): Promise<CheckedHostView> {
    const inbounds = await this.inboundsFor([request]);
    const host = { id, ...hostColumns(request) };
    await this.change(async (manager) => {
      const before = hostView(await find(manager, id));
      await manager.update(Host, { id }, host);
      await checkDownloadHosts(manager, [id]);
      await recordAudit(manager, { action: 'host.modify', target: `host/${id}`, before, after: hostView(host) });
    });
    return checkedHostView(host, inbounds, await this.downloadHostOf(host));
  }

  /** Hosts that are not mentioned stay as they are. Answers all hosts. */
  async modifyAll(requests: readonly HostElement[]): Promise<CheckedHostView[]> {
    checkIdsDiffer(requests);
    const inbounds = await this.inboundsFor(requests);
    const hosts = await this.change(async (manager) => {
      const before = await known(manager, requests);
      const changed: number[] = [];
      for (let start = 0; start < requests.length; start += BATCH_SIZE) {
        changed.push(...(await write(manager, requests.slice(start, start + BATCH_SIZE), before)));
      }
      await checkDownloadHosts(manager, changed);
      const all = sound(await manager.find(Host, { order: BY_PRIORITY }));
      const written = new Set(changed);
      const after = all.filter(({ id }) => written.has(id));
      await recordAudit(manager, {
        action: 'host.bulk_modify',
        target: 'hosts',
        before: viewsById(before.values()),
        after: viewsById(after),
      });
      return all;
    });
    const others = byId(hosts);
    return hosts.map((host) => checkedHostView(host, inbounds, others));
  }

  async delete(id: number): Promise<void> {
    await this.change(async (manager) => {
      const before = hostView(await find(manager, id));
      await clearDownloadHost(manager, id);
      await manager.delete(Host, { id });
      await recordAudit(manager, { action: 'host.delete', target: `host/${id}`, before });
    });
  }

  /** All of them, for what is compiled from them; of what is damaged the log tells. */
  async validHosts(manager: EntityManager): Promise<Host[]> {
    return (await manager.find(Host)).map((row) => {
      const { host, problems } = validHost(row);
      if (problems.length > 0)
        this.logger.warn(`host ${row.id} has damaged settings, which count as not set: ${problems}`);
      return host;
    });
  }

  private async downloadHostOf({ transportSettings }: Host): Promise<ReadonlyMap<number, Host>> {
    const id = transportSettings?.xhttp_settings?.download_settings;
    return byId(id ? sound(await this.database.manager.findBy(Host, { id })) : []);
  }

  private change<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      return work(manager);
    });
  }

  private async inboundsFor(requests: readonly HostCreate[]): Promise<ReadonlyMap<string, OfferedInbound>> {
    const inbounds = await this.catalogue.inbounds();
    for (const [index, request] of requests.entries()) {
      const code = inboundProblem(request, inbounds.get(request.inbound_tag));
      const place = requests.length > 1 ? ` (element ${index})` : '';
      if (code) throw new ManagementError(code, `${MANAGEMENT_ERRORS[code].message}${place}`);
    }
    return inbounds;
  }
}

function inboundProblem(
  { security }: HostCreate,
  inbound: OfferedInbound | undefined,
): ManagementErrorCode | undefined {
  if (!inbound) return 'INBOUND_TAG_UNKNOWN';
  return security === 'reality' && inbound.security !== 'reality' ? 'HOST_SECURITY_REALITY' : undefined;
}

async function find(manager: EntityManager, id: number): Promise<Host> {
  const host = await manager.findOneBy(Host, { id });
  if (!host) throw new ManagementError('HOST_NOT_FOUND');
  return validHost(host).host;
}

function checkIdsDiffer(requests: readonly HostElement[]): void {
  const seen = new Set<number>();
  for (const [index, { id }] of requests.entries()) {
    if (id && seen.has(id)) throw invalidFields({ [`${index}.id`]: `${id} stands twice` });
    if (id) seen.add(id);
  }
}

/** Those of the requested hosts that are there already, by their ids. */
async function known(manager: EntityManager, requests: readonly HostElement[]): Promise<ReadonlyMap<number, Host>> {
  const ids = requests.flatMap(({ id }) => id ?? []);
  return byId(sound(await manager.findBy(Host, { id: Any(ids) })));
}

const sound = (hosts: readonly Host[]): Host[] => hosts.map((host) => validHost(host).host);

const byId = (hosts: readonly Host[]): ReadonlyMap<number, Host> => new Map(hosts.map((host) => [host.id, host]));

const viewsById = (hosts: Iterable<Host>): Record<number, HostView> =>
  Object.fromEntries(Array.from(hosts, (host) => [host.id, hostView(host)]));

/** Replaces the known ones and adds the others, in two statements. Answers their ids. */
async function write(
  manager: EntityManager,
  requests: readonly HostElement[],
  known: ReadonlyMap<number, Host>,
): Promise<number[]> {
  const replaced: Host[] = [];
  const added: Omit<Host, 'id'>[] = [];
  for (const request of requests) {
    const columns = hostColumns(request);
    if (request.id && known.has(request.id)) replaced.push({ id: request.id, ...columns });
    else added.push(columns);
  }
  if (replaced.length > 0) await manager.upsert(Host, replaced, ['id']);
  const created = added.length > 0 ? (await manager.insert(Host, added)).identifiers : [];
  return [...replaced, ...created].map(({ id }) => Number(id));
}
