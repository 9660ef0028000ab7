import { Logger } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { EntityManager } from 'typeorm';
import { readDto } from '../validation/pipes/request.pipe.js';
import { GeneralSettings } from './general-settings.dto.js';
import { ProbeSettings } from './probe-settings.dto.js';
import type { Settings, StoredSections } from './settings.dto.js';
import { findSection, findSections } from './settings.repository.js';
import type { StoredSettings } from './stored-settings.entity.js';
import { SubscriptionSettings } from './subscription-settings.dto.js';

const logger = new Logger('Settings');

/** Reads all settings in a transaction. */
export async function readSettings(manager: EntityManager): Promise<Settings> {
  const rows = await findSections(manager);
  return {
    subscription: readSection(rows, 'subscription', SubscriptionSettings),
    general: readSection(rows, 'general', GeneralSettings),
  };
}

/** Reads the section with the defaults for new users. */
export async function readGeneralSettings(manager: EntityManager): Promise<GeneralSettings> {
  return readSection(await findSection(manager, 'general'), 'general', GeneralSettings);
}

/** Reads the section of probes of hosts. */
export async function readProbeSettings(manager: EntityManager): Promise<ProbeSettings> {
  return readSection(await findSection(manager, 'probes'), 'probes', ProbeSettings);
}

/**
 * Stored sections were checked when they were saved. A member that is no longer valid has its default until it is saved
 * again.
 */
function readSection<T extends object>(
  rows: readonly StoredSettings[],
  section: keyof StoredSections,
  type: ClassConstructor<T>,
): T {
  const stored = rows.find((row) => row.section === section);
  if (!stored) return new type();
  const read = readDto(stored.value, type);
  if ('dto' in read) return read.dto;
  logger.warn(
    `the stored settings section ${section} is damaged; its invalid members have their defaults: ${JSON.stringify(read.problems)}`,
  );
  const damaged = new Set(Object.keys(read.problems).map((path) => path.split('.', 1)[0]));
  const members = Object.entries(Object(stored.value)).filter(([name]) => !damaged.has(name));
  const rest = readDto(Object.fromEntries(members), type);
  return 'dto' in rest ? rest.dto : new type();
}
