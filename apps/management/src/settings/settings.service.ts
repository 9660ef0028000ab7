import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { CompiledConfig, raiseConfigVersion, readConfigVersion } from '../database/config-version.js';
import { type NoEffectWarning, noEffect } from '../http/no-effect.js';
import { checkVersion, versionOf } from '../http/version.js';
import type { GeneralSettings } from './general-settings.dto.js';
import type { ProbeSettings } from './probe-settings.dto.js';
import type { CheckedSettings, Settings, SettingsModify } from './settings.dto.js';
import { saveSections } from './settings.repository.js';
import { readProbeSettings, readSettings } from './stored-settings.js';

@Injectable()
export class SettingsService {
  private readonly compiled: CompiledConfig<Settings>;

  constructor(private readonly database: DataSource) {
    this.compiled = new CompiledConfig(database, (manager) => readSettings(manager));
  }

  async all(): Promise<Settings> {
    return this.compiled.atLeast(await readConfigVersion(this.database.manager));
  }

  async general(): Promise<GeneralSettings> {
    return (await this.all()).general;
  }

  probes(): Promise<ProbeSettings> {
    return readProbeSettings(this.database.manager);
  }

  /** Replaces all settings of probes. Subscriptions are compiled again, because they may leave out failing hosts now. */
  async modifyProbes(after: ProbeSettings): Promise<ProbeSettings> {
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const before = await readProbeSettings(manager);
      checkVersion({ ...before, version: versionOf(before) });
      await saveSections(manager, { probes: after });
      await recordAudit(manager, { action: 'settings.modify', target: 'settings/probes', before, after });
      return after;
    });
  }

  async modify({ subscription, general, ...unread }: SettingsModify): Promise<CheckedSettings> {
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const before = await readSettings(manager);
      checkVersion({ ...before, version: settingsVersion(before) });
      await saveSections(manager, { ...(subscription && { subscription }), ...(general && { general }) });
      // As they are stored: PostgreSQL orders the members of objects, and the version depends on their order.
      const after = await readSettings(manager);
      await recordAudit(manager, { action: 'settings.modify', target: 'settings', before, after });
      return { ...after, warnings: warningsOf(unread) };
    });
  }
}

/** The version of all sections together. */
export const settingsVersion = ({ subscription, general }: Settings): string => versionOf([subscription, general]);

function warningsOf(unread: object): NoEffectWarning[] {
  return Object.entries(unread).flatMap(([section, value]) =>
    value === null || value === undefined
      ? []
      : [noEffect(section, `${section} is not stored and has no effect: Rampart does not have this feature yet`)],
  );
}
