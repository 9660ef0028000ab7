import { Injectable } from '@nestjs/common';
import type { Inbound } from '@rampart/core-config';
import { DataSource, type EntityManager } from 'typeorm';
import { InboundCatalogue } from '../cores/inbound-catalogue.js';
import { raiseCatalogueVersion } from '../database/catalogue-version.js';
import { ManagementError } from '../errors/management-error.js';
import { Page, windowOf } from '../http/page.js';
import { type CheckedHostView, HostCreate, type HostView } from './host.dto.js';
import { Host } from './host.entity.js';
import { hostColumns, hostView, hostWarnings } from './host.view.js';

@Injectable()
export class HostService {
  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
  ) {}

  async create(request: HostCreate): Promise<CheckedHostView> {
    const inbounds = await this.catalogue.inbounds();
    checkInbound(request, inbounds.get(request.inbound_tag));
    const host = await this.database.transaction(async (manager) => {
      await raiseCatalogueVersion(manager);
      await checkDownloadHost(manager, request);
      return manager.save(manager.create(Host, hostColumns(request)));
    });
    return { ...hostView(host), warnings: hostWarnings(host, inbounds) };
  }

  async get(id: number): Promise<HostView> {
    const host = await this.database.manager.findOneBy(Host, { id });
    if (!host) throw new ManagementError('HOST_NOT_FOUND');
    return hostView(host);
  }

  async list(page: Page): Promise<HostView[]> {
    const order = { priority: 'ASC', id: 'ASC' } as const;
    return (await this.database.manager.find(Host, { order, ...windowOf(page) })).map(hostView);
  }

  /** The rows themselves, for what is compiled from them. */
  rows(manager: EntityManager): Promise<Host[]> {
    return manager.find(Host);
  }
}

function checkInbound({ security }: HostCreate, inbound: Inbound | undefined): void {
  if (!inbound) throw new ManagementError('INBOUND_TAG_UNKNOWN');
  if (security === 'reality' && inbound.security !== 'reality') throw new ManagementError('HOST_SECURITY_REALITY');
}

/** Every change of hosts holds the catalogue's counter, so that the host named here stays as it is until commit. */
async function checkDownloadHost(manager: EntityManager, { transport_settings }: HostCreate): Promise<void> {
  const id = downloadHostId(transport_settings);
  if (id === undefined) return;
  const host = await manager.findOneBy(Host, { id });
  if (!host) throw new ManagementError('DOWNLOAD_HOST_NOT_FOUND');
  if (downloadHostId(host.transportSettings) !== undefined) throw new ManagementError('DOWNLOAD_HOST_NESTED');
}

const downloadHostId = (settings: Host['transportSettings'] | undefined): number | undefined =>
  settings?.xhttp_settings?.download_settings ?? undefined;
