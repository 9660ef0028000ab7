import { Injectable, Logger } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
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
import { type CheckedHostView, HostCreate, HostElement, type HostView } from './host.dto.js';
import type { Host } from './host.entity.js';
import { type HostColumns, HostRepository } from './host.repository.js';
import { checkedHostView, hostColumns, hostView } from './host.view.js';
import { validHost } from './valid-host.js';

/** A statement takes at most 65,535 parameters, and a host has 22 columns. */
const BATCH_SIZE = 1_000;

@Injectable()
export class HostService {
  private readonly logger = new Logger('Hosts');

  constructor(
    private readonly database: DataSource,
    private readonly hosts: HostRepository,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create(request: HostCreate): Promise<CheckedHostView> {
    const inbounds = await this.inboundsFor([request]);
    const host = await this.change(async (manager) => {
      const created = await this.hosts.insertHost(manager, hostColumns(request));
      await this.checkDownloadHosts(manager, [created.id]);
      await recordAudit(manager, { action: 'host.create', target: `host/${created.id}`, after: hostView(created) });
      return created;
    });
    return checkedHostView(host, inbounds, await this.downloadHostOf(host));
  }

  async get(id: number): Promise<HostView> {
    return hostView(await this.hosts.findHost(this.database.manager, id));
  }

  async list(page: Page): Promise<HostView[]> {
    return (await this.hosts.listHosts(this.database.manager, windowOf(page))).map(hostView);
  }

  /** Replaces the whole host: what the request leaves out gets its default. */
  async modify(id: number, request: HostCreate): Promise<CheckedHostView> {
    const inbounds = await this.inboundsFor([request]);
    const host = { id, ...hostColumns(request) };
    await this.change(async (manager) => {
      const before = hostView(await this.hosts.findHost(manager, id));
      await this.hosts.updateHost(manager, host);
      await this.checkDownloadHosts(manager, [id]);
      await recordAudit(manager, { action: 'host.modify', target: `host/${id}`, before, after: hostView(host) });
    });
    return checkedHostView(host, inbounds, await this.downloadHostOf(host));
  }

  /** Hosts that are not in the list stay as they are. Returns all hosts. */
  async modifyAll(requests: readonly HostElement[]): Promise<CheckedHostView[]> {
    checkIdsDiffer(requests);
    const inbounds = await this.inboundsFor(requests);
    const hosts = await this.change(async (manager) => {
      const ids = requests.flatMap(({ id }) => id ?? []);
      const before = byId(await this.hosts.findHosts(manager, ids));
      const changed: number[] = [];
      for (let start = 0; start < requests.length; start += BATCH_SIZE) {
        changed.push(...(await this.writeBatch(manager, requests.slice(start, start + BATCH_SIZE), before)));
      }
      await this.checkDownloadHosts(manager, changed);
      const all = await this.hosts.listHosts(manager);
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
    const hostsById = byId(hosts);
    return hosts.map((host) => checkedHostView(host, inbounds, hostsById));
  }

  async delete(id: number): Promise<void> {
    await this.change(async (manager) => {
      const before = hostView(await this.hosts.findHost(manager, id));
      await this.hosts.clearDownloadHost(manager, id);
      await this.hosts.deleteHost(manager, id);
      await recordAudit(manager, { action: 'host.delete', target: `host/${id}`, before });
    });
  }

  /** All hosts, for subscriptions. Damaged settings count as not set and are reported in the log. */
  async validHosts(manager: EntityManager): Promise<Host[]> {
    return (await this.hosts.findAllStored(manager)).map((row) => {
      const { host, problems } = validHost(row);
      if (problems.length > 0)
        this.logger.warn(`host ${row.id} has damaged settings, which count as not set: ${problems}`);
      return host;
    });
  }

  private async downloadHostOf({ transportSettings }: Host): Promise<ReadonlyMap<number, Host>> {
    const id = transportSettings?.xhttp_settings?.download_settings;
    return byId(id ? await this.hosts.findHosts(this.database.manager, [id]) : []);
  }

  private async checkDownloadHosts(manager: EntityManager, changed: readonly number[]): Promise<void> {
    const problem = await this.hosts.findDownloadHostProblem(manager, changed);
    if (problem) throw new ManagementError(problem);
  }

  /** Replaces the hosts that exist and adds the others. Returns their ids. */
  private writeBatch(
    manager: EntityManager,
    requests: readonly HostElement[],
    existing: ReadonlyMap<number, Host>,
  ): Promise<number[]> {
    const replaced: Host[] = [];
    const added: HostColumns[] = [];
    for (const request of requests) {
      const columns = hostColumns(request);
      if (request.id && existing.has(request.id)) replaced.push({ id: request.id, ...columns });
      else added.push(columns);
    }
    return this.hosts.writeHosts(manager, replaced, added);
  }

  private change<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      return work(manager);
    });
  }

  /** The inbounds of all cores. @throws ManagementError when a host does not fit its inbound */
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

function checkIdsDiffer(requests: readonly HostElement[]): void {
  const seen = new Set<number>();
  for (const [index, { id }] of requests.entries()) {
    if (id && seen.has(id)) throw invalidFields({ [`${index}.id`]: `${id} stands twice` });
    if (id) seen.add(id);
  }
}

const byId = (hosts: readonly Host[]): ReadonlyMap<number, Host> => new Map(hosts.map((host) => [host.id, host]));

const viewsById = (hosts: Iterable<Host>): Record<number, HostView> =>
  Object.fromEntries(Array.from(hosts, (host) => [host.id, hostView(host)]));
