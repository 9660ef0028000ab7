import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { recordAudit } from '../audit/record-audit.js';
import { CompiledConfig, raiseConfigVersion, readConfigVersion } from '../database/config-version.js';
import { type NoEffectWarning, noEffect } from '../http/no-effect.js';
import type { GeneralSettings } from './general-settings.dto.js';
import type { CheckedSettings, Settings, SettingsModify } from './settings.dto.js';
import { saveSections } from './settings.repository.js';
import { readSettings } from './stored-settings.js';

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

  async modify({ subscription, general, ...unread }: SettingsModify): Promise<CheckedSettings> {
    return this.database.transaction(async (manager) => {
      await raiseConfigVersion(manager);
      const before = await readSettings(manager);
      const after = { subscription: subscription ?? before.subscription, general: general ?? before.general };
      await saveSections(manager, { ...(subscription && { subscription }), ...(general && { general }) });
      await recordAudit(manager, { action: 'settings.modify', target: 'settings', before, after });
      return { ...after, warnings: warningsOf(unread) };
    });
  }
}

function warningsOf(unread: object): NoEffectWarning[] {
  return Object.entries(unread).flatMap(([section, value]) =>
    value === null || value === undefined
      ? []
      : [noEffect(section, `${section} is not stored and has no effect: Rampart does not have this feature yet`)],
  );
}
