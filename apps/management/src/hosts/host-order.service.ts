import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { raiseConfigVersion } from '../database/config-version.js';
import { invalidFields, ManagementError } from '../errors/management-error.js';
import type { HostOrder, HostView } from './host.dto.js';
import type { Host } from './host.entity.js';
import { HostRepository } from './host.repository.js';
import { hostView } from './host.view.js';

/** Changes the order of hosts. */
@Injectable()
export class HostOrderService {
  constructor(
    private readonly database: DataSource,
    private readonly hosts: HostRepository,
  ) {}

  /** Hosts that are not named keep their places. Returns all hosts in their new order. */
  reorder({ ids }: HostOrder): Promise<HostView[]> {
    checkDistinct(ids);
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const before = await this.hosts.listHosts(manager);
      const after = withPriorities(reordered(before, ids), before);
      const known = new Map(before.map(({ id, priority }) => [id, priority]));
      await this.hosts.setPriorities(
        manager,
        after.filter(({ id, priority }) => known.get(id) !== priority),
      );
      await recordAudit(manager, {
        action: 'host.reorder',
        target: 'hosts',
        before: { order: before.map(({ id }) => id) },
        after: { order: after.map(({ id }) => id) },
      });
      return after.map(hostView);
    });
  }
}

function checkDistinct(ids: readonly number[]): void {
  const at = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (at >= 0) throw invalidFields({ [`ids.${at}`]: `${ids[at]} stands twice` });
}

/** The hosts with the named ones in the wanted order, in the places that these had together. */
function reordered(hosts: readonly Host[], ids: readonly number[]): Host[] {
  const byId = new Map(hosts.map((host) => [host.id, host]));
  const named = ids.map((id) => {
    const host = byId.get(id);
    if (!host) throw new ManagementError('HOST_NOT_FOUND', `Host ${id} not found`);
    return host;
  });
  const places = new Set(ids);
  let next = 0;
  return hosts.map((host) => {
    const placed = places.has(host.id) ? named[next++] : host;
    return placed ?? host;
  });
}

/** The hosts with the present priorities; with new ones where equal priorities would not keep the wanted order. */
function withPriorities(wanted: readonly Host[], before: readonly Host[]): Host[] {
  const kept = wanted.map((host, at) => ({ ...host, priority: before[at]?.priority ?? at }));
  const isKept = kept.every((host, at) => {
    const last = kept[at - 1];
    return !last || last.priority < host.priority || (last.priority === host.priority && last.id < host.id);
  });
  return isKept ? kept : wanted.map((host, at) => ({ ...host, priority: at + 1 }));
}
