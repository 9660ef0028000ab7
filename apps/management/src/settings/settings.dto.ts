import { applyDecorators } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import type { NoEffectWarning } from '../http/no-effect.js';
import { KeepRaw } from '../validation/keep-raw.js';
import { OptionalObject } from '../validation/rules.js';
import { GeneralSettings } from './general-settings.dto.js';
import { SubscriptionSettings } from './subscription-settings.dto.js';

/** All settings that are stored, by section. */
export interface Settings {
  /** How subscriptions are addressed, what they tell, and who gets which format. */
  subscription: SubscriptionSettings;
  /** What new users have where a request says nothing. */
  general: GeneralSettings;
}

/** What was changed, with what was sent to no effect. */
export interface CheckedSettings extends Settings {
  /** Sections that were sent although this program has no such feature. */
  warnings: NoEffectWarning[];
}

/** A section of a feature that is not here: clients of other panels send all that they know. It is not stored. */
const NotStored = (): PropertyDecorator => applyDecorators(IsOptional(), KeepRaw());

/** A section that is given replaces the stored one, one that is not stays. */
export class SettingsModify {
  /** The whole section. Null or absent: it stays as it is. */
  @OptionalObject(() => SubscriptionSettings)
  subscription?: SubscriptionSettings | null;

  /** The whole section. Null or absent: it stays as it is. */
  @OptionalObject(() => GeneralSettings)
  general?: GeneralSettings | null;

  /** Settings of a Telegram bot in other panels: not stored, and answered with a warning. */
  @NotStored()
  telegram?: unknown;

  /** Settings of a Discord bot in other panels: not stored, and answered with a warning. */
  @NotStored()
  discord?: unknown;

  /** Settings of webhooks in other panels: not stored, and answered with a warning. */
  @NotStored()
  webhook?: unknown;

  /** Settings of notifications in other panels: not stored, and answered with a warning. */
  @NotStored()
  notification_settings?: unknown;

  /** Settings of notifications in other panels: not stored, and answered with a warning. */
  @NotStored()
  notification_enable?: unknown;

  /** Settings of limits of devices in other panels: not stored, and answered with a warning. */
  @NotStored()
  hwid?: unknown;
}
