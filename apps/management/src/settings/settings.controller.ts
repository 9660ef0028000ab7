import { Body, Controller, Get, Put } from '@nestjs/common';
import { AnyAdmin, Sudo } from '../access/access-level.js';
import type { GeneralSettings } from './general-settings.dto.js';
import { type CheckedSettings, type Settings, SettingsModify } from './settings.dto.js';
import { SettingsService } from './settings.service.js';

@Controller('api/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  /** All settings, by section. */
  @Get()
  @Sudo()
  all(): Promise<Settings> {
    return this.settings.all();
  }

  /** Replaces the sections that are given. */
  @Put()
  @Sudo()
  modify(@Body() settings: SettingsModify): Promise<CheckedSettings> {
    return this.settings.modify(settings);
  }

  /** What new users have where a request says nothing. */
  @Get('general')
  @AnyAdmin()
  general(): Promise<GeneralSettings> {
    return this.settings.general();
  }
}
