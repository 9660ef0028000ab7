import type { EntityManager } from 'typeorm';
import type { Settings } from './settings.dto.js';
import { StoredSettings } from './stored-settings.entity.js';

/** All stored sections; a section that was never saved has no row. */
export const findSections = (manager: EntityManager): Promise<StoredSettings[]> => manager.find(StoredSettings);

/** One stored section as a list, empty when it was never saved. */
export const findSection = (manager: EntityManager, section: keyof Settings): Promise<StoredSettings[]> =>
  manager.findBy(StoredSettings, { section });

export async function saveSections(manager: EntityManager, sections: Partial<Settings>): Promise<void> {
  const rows = Object.entries(sections).flatMap(([section, value]) => (value ? { section, value } : []));
  await manager.upsert(StoredSettings, rows, ['section']);
}
