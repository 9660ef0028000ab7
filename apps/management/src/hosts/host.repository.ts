import { Injectable } from '@nestjs/common';
import { Any, type EntityManager, type FindManyOptions } from 'typeorm';
import { ManagementError } from '../errors/management-error.js';
import { Host } from './host.entity.js';
import { validHost } from './valid-host.js';

export type HostColumns = Omit<Host, 'id'>;

/** Where the settings of a host name the host through which its download goes. */
const DOWNLOAD = `transport_settings #>> '{xhttp_settings,download_settings}'`;
/** SQL: the id of the host for downloads; null where the settings are damaged. */
const DOWNLOAD_ID = `CASE WHEN ${DOWNLOAD} ~ '^[0-9]{1,10}$' THEN (${DOWNLOAD})::bigint END`;

const BY_PRIORITY = { priority: 'ASC', id: 'ASC' } as const;

export type DownloadHostProblem = 'DOWNLOAD_HOST_NOT_FOUND' | 'DOWNLOAD_HOST_SELF' | 'DOWNLOAD_HOST_NESTED';

/**
 * The statements on the table of hosts, each in the transaction of the caller. Hosts are returned without the settings
 * that are damaged, except by `findAllStored`.
 */
@Injectable()
export class HostRepository {
  /** @throws ManagementError when there is no such host */
  async findHost(manager: EntityManager, id: number): Promise<Host> {
    const host = await manager.findOneBy(Host, { id });
    if (!host) throw new ManagementError('HOST_NOT_FOUND');
    return validHost(host).host;
  }

  async findHosts(manager: EntityManager, ids: readonly number[]): Promise<Host[]> {
    return withoutDamage(await manager.findBy(Host, { id: Any(ids) }));
  }

  /** The hosts of a window, by priority; without a window all hosts. */
  async listHosts(manager: EntityManager, window: Pick<FindManyOptions, 'skip' | 'take'> = {}): Promise<Host[]> {
    return withoutDamage(await manager.find(Host, { order: BY_PRIORITY, ...window }));
  }

  /** All rows as they are stored, damaged settings included. */
  findAllStored(manager: EntityManager): Promise<Host[]> {
    return manager.find(Host);
  }

  insertHost(manager: EntityManager, columns: HostColumns): Promise<Host> {
    return manager.save(manager.create(Host, columns));
  }

  /** Inserts a host with an id that no sequence gives, in a transaction that is rolled back. */
  async insertUnsaved(manager: EntityManager, host: Host): Promise<void> {
    await manager.insert(Host, host);
  }

  async updateHost(manager: EntityManager, host: Host): Promise<void> {
    await manager.update(Host, { id: host.id }, host);
  }

  /** Replaces some hosts and adds others, in two statements. Returns their ids. */
  async writeHosts(manager: EntityManager, replaced: Host[], added: HostColumns[]): Promise<number[]> {
    if (replaced.length > 0) await manager.upsert(Host, replaced, ['id']);
    const created = added.length > 0 ? (await manager.insert(Host, added)).identifiers : [];
    return [...replaced, ...created].map(({ id }) => Number(id));
  }

  async setPriorities(manager: EntityManager, hosts: readonly Pick<Host, 'id' | 'priority'>[]): Promise<void> {
    await manager.query(
      `UPDATE hosts SET priority = given.priority FROM unnest($1::integer[], $2::integer[]) AS given (id, priority)
       WHERE hosts.id = given.id`,
      [hosts.map(({ id }) => id), hosts.map(({ priority }) => priority)],
    );
  }

  async deleteHost(manager: EntityManager, id: number): Promise<void> {
    await manager.delete(Host, { id });
  }

  /**
   * What is wrong with the download hosts of changed hosts: one is missing, is the host itself, or has a download host
   * too. Called after the change; the caller holds the configuration version, so other hosts cannot change before commit.
   */
  async findDownloadHostProblem(
    manager: EntityManager,
    changed: readonly number[],
  ): Promise<DownloadHostProblem | undefined> {
    const [found] = await manager.query<{ problem: DownloadHostProblem }[]>(
      `WITH links AS (SELECT id, ${DOWNLOAD_ID} AS target FROM hosts),
       checked AS (
         SELECT link.id, CASE
           WHEN link.target = link.id THEN 'DOWNLOAD_HOST_SELF'
           WHEN target.id IS NULL THEN 'DOWNLOAD_HOST_NOT_FOUND'
           WHEN target.target IS NOT NULL OR link.id IN (SELECT target FROM links) THEN 'DOWNLOAD_HOST_NESTED'
         END AS problem
         FROM links link LEFT JOIN links target ON target.id = link.target
         WHERE link.target IS NOT NULL AND link.id = ANY($1)
       )
       SELECT problem FROM checked WHERE problem IS NOT NULL ORDER BY id LIMIT 1`,
      [changed],
    );
    return found?.problem;
  }

  /** Removes a host that is about to be deleted from the settings of the hosts that use it for their download. */
  async clearDownloadHost(manager: EntityManager, id: number): Promise<void> {
    await manager.query(
      `UPDATE hosts SET transport_settings = (transport_settings::jsonb #- '{xhttp_settings,download_settings}')::json
       WHERE ${DOWNLOAD} = $1`,
      [String(id)],
    );
  }
}

const withoutDamage = (hosts: readonly Host[]): Host[] => hosts.map((host) => validHost(host).host);
