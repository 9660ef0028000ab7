import type { EntityManager } from 'typeorm';
import { preparedAtStart } from '../database/prepared.js';
import type { StoredSections } from './settings.dto.js';
import { StoredSettings } from './stored-settings.entity.js';

/** All stored sections; a section that was never saved has no row. */
export const findSections = (manager: EntityManager): Promise<StoredSettings[]> => manager.find(StoredSettings);

const FIND_SECTION = { name: 'find_settings_section', text: 'SELECT section, value FROM settings WHERE section = $1' };

/** One stored section as a list, empty when it was never saved. */
export const findSection = (manager: EntityManager, section: keyof StoredSections): Promise<StoredSettings[]> =>
  preparedAtStart(manager)<StoredSettings>(FIND_SECTION, [section]);

export async function saveSections(manager: EntityManager, sections: Partial<StoredSections>): Promise<void> {
  const rows = Object.entries(sections).flatMap(([section, value]) => (value ? { section, value } : []));
  await manager.upsert(StoredSettings, rows, ['section']);
}
