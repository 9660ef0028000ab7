import { Body, Controller, Get, Put } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import { Versioned, versionOf } from '../http/version.js';
import type { GeneralSettings } from './general-settings.dto.js';
import { ProbeSettings } from './probe-settings.dto.js';
import { type CheckedSettings, type Settings, SettingsModify } from './settings.dto.js';
import { SettingsService, settingsVersion } from './settings.service.js';

@Controller('api/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  /** Returns all settings by section. */
  @Versioned((settings) => settingsVersion(settings as Settings))
  @Get()
  @Sudo()
  all(): Promise<Settings> {
    return this.settings.all();
  }

  /** Replaces the sections that the body contains. */
  @Versioned((settings) => settingsVersion(settings as Settings))
  @Put()
  @Sudo()
  modify(@Body() settings: SettingsModify): Promise<CheckedSettings> {
    return this.settings.modify(settings);
  }

  /** Returns the defaults for the credentials of new users. */
  @Get('general')
  @AnyAdmin()
  general(): Promise<GeneralSettings> {
    return this.settings.general();
  }

  /** Returns how hosts are probed by clients. */
  @Versioned(versionOf)
  @Get('probes')
  @Sudo()
  probes(): Promise<ProbeSettings> {
    return this.settings.probes();
  }

  /** Replaces how hosts are probed by clients; absent members get their defaults. */
  @Versioned(versionOf)
  @Put('probes')
  @Sudo()
  modifyProbes(@Body() probes: ProbeSettings): Promise<ProbeSettings> {
    return this.settings.modifyProbes(probes);
  }
}
