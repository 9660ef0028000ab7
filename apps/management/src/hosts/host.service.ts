import { Injectable, Logger } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { MAX_INT32 } from '@rampart/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { rolledBack } from '../database/rolled-back.js';
import {
  invalidFields,
  MANAGEMENT_ERRORS,
  ManagementError,
  type ManagementErrorCode,
} from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { checkVersion } from '../http/version.js';
import {
  type CheckedHostView,
  HostCheckQuery,
  type HostCheckView,
  HostCreate,
  HostElement,
  type HostView,
} from './host.dto.js';
import type { Host } from './host.entity.js';
import { type HostColumns, HostRepository } from './host.repository.js';
import { checkedHostView, hostColumns, hostView, withProbeWarning } from './host.view.js';
import { HostHealthRepository } from './host-health.repository.js';
import { validHost } from './valid-host.js';

/** The id of a host that is only checked. */
const UNSAVED_ID = MAX_INT32;
/** A statement takes at most 65,535 parameters, and a host has 22 columns. */
const BATCH_SIZE = 1_000;

@Injectable()
export class HostService {
  private readonly logger = new Logger('Hosts');

  constructor(
    private readonly database: DataSource,
    private readonly hosts: HostRepository,
    private readonly catalogue: InboundCatalogue,
    private readonly health: HostHealthRepository,
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

  /** Makes the change in a transaction that is rolled back, so that it is checked as a whole. */
  async check(request: HostCreate, { id }: HostCheckQuery): Promise<HostCheckView> {
    try {
      const inbounds = await this.inboundsFor([request]);
      const host = { id: id ?? UNSAVED_ID, ...hostColumns(request) };
      await rolledBack(this.database, async (manager) => {
        if (id === undefined) await this.hosts.insertUnsaved(manager, host);
        else {
          await this.hosts.findHost(manager, id);
          await this.hosts.updateHost(manager, host);
        }
        await this.checkDownloadHosts(manager, [host.id]);
      });
      return { errors: [], warnings: checkedHostView(host, inbounds, await this.downloadHostOf(host)).warnings };
    } catch (error) {
      if (!(error instanceof ManagementError) || error.status >= 500) throw error;
      return { errors: [{ code: error.code, message: error.message }], warnings: [] };
    }
  }

  async get(id: number): Promise<HostView> {
    const host = await this.hosts.findHost(this.database.manager, id);
    return withProbeWarning(hostView(host), await this.failing([id]));
  }

  async list(page: Page): Promise<HostView[]> {
    const hosts = await this.hosts.listHosts(this.database.manager, windowOf(page));
    const failing = await this.failing(hosts.map(({ id }) => id));
    return hosts.map((host) => withProbeWarning(hostView(host), failing));
  }

  /** Replaces the whole host: what the request leaves out gets its default. */
  async modify(id: number, request: HostCreate): Promise<CheckedHostView> {
    const inbounds = await this.inboundsFor([request]);
    const host = { id, ...hostColumns(request) };
    await this.change(async (manager) => {
      const before = hostView(await this.hosts.findHost(manager, id));
      checkVersion(before);
      await this.hosts.updateHost(manager, host);
      await this.checkDownloadHosts(manager, [id]);
      await recordAudit(manager, { action: 'host.modify', target: `host/${id}`, before, after: hostView(host) });
    });
    return withProbeWarning(checkedHostView(host, inbounds, await this.downloadHostOf(host)), await this.failing([id]));
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
    const failing = await this.failing(hosts.map(({ id }) => id));
    return hosts.map((host) => withProbeWarning(checkedHostView(host, inbounds, hostsById), failing));
  }

  async delete(id: number): Promise<void> {
    await this.change(async (manager) => {
      const before = hostView(await this.hosts.findHost(manager, id));
      checkVersion(before);
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

  /** The hosts for subscriptions: without those that fail their probes, where the settings say so. */
  async shownHosts(manager: EntityManager, { hideFailing }: { hideFailing: boolean }): Promise<Host[]> {
    const hosts = await this.validHosts(manager);
    if (!hideFailing) return hosts;
    const leftOut = await this.health.leftOutIds(manager);
    return hosts.filter(({ id }) => !leftOut.has(id));
  }

  /** A host as it would be stored, for a request that is not saved. @throws ManagementError when it does not fit its inbound */
  async unsavedHost(request: HostCreate): Promise<Host> {
    await this.inboundsFor([request]);
    return { id: 0, ...hostColumns(request) };
  }

  /** What is wrong with hosts that failed their last probes, by id. */
  private async failing(ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
    const health = await this.health.findHealth(this.database.manager, ids);
    return new Map(health.flatMap(({ hostId, status, message }) => (status === 'fails' ? [[hostId, message]] : [])));
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

/** For the audit log, which does not show versions. */
const viewsById = (hosts: Iterable<Host>): Record<number, object> =>
  Object.fromEntries(Array.from(hosts, (host) => [host.id, { ...hostView(host), version: undefined }]));
