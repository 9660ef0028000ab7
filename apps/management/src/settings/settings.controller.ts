import { Body, Controller, Get, Put } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import type { GeneralSettings } from './general-settings.dto.js';
import { type CheckedSettings, type Settings, SettingsModify } from './settings.dto.js';
import { SettingsService } from './settings.service.js';

@Controller('api/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  /** Returns all settings by section. */
  @Get()
  @Sudo()
  all(): Promise<Settings> {
    return this.settings.all();
  }

  /** Replaces the sections that the body contains. */
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
}
