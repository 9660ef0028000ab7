import { applyDecorators } from '@nestjs/common';
import { IsOptional } from 'class-validator';
import type { NoEffectWarning } from '../http/no-effect.js';
import { KeepRaw } from '../validation/keep-raw.js';
import { OptionalObject } from '../validation/rules.js';
import { GeneralSettings } from './general-settings.dto.js';
import type { ProbeSettings } from './probe-settings.dto.js';
import { SubscriptionSettings } from './subscription-settings.dto.js';

/** All stored settings by section. */
export interface Settings {
  /** Settings of subscriptions: addresses, contents, and which client gets which format. */
  subscription: SubscriptionSettings;
  /** Defaults for the credentials of new users. */
  general: GeneralSettings;
}

/** The settings and the sections that have routes of their own. */
export interface StoredSections extends Settings {
  probes: ProbeSettings;
}

/** The changed settings, with warnings about sections that have no effect. */
export interface CheckedSettings extends Settings {
  /** Warnings about sections that this program does not support. */
  warnings: NoEffectWarning[];
}

/** A section of an unsupported feature, which clients of other panels send. It is not stored. */
const NotStored = (): PropertyDecorator => applyDecorators(IsOptional(), KeepRaw());

/** Sections in the body replace the stored ones. Other sections stay unchanged. */
export class SettingsModify {
  /** The whole section. Null or absent leaves it unchanged. */
  @OptionalObject(() => SubscriptionSettings)
  subscription?: SubscriptionSettings | null;

  /** The whole section. Null or absent leaves it unchanged. */
  @OptionalObject(() => GeneralSettings)
  general?: GeneralSettings | null;

  /** Settings of a Telegram bot in other panels. They are not stored, and the answer contains a warning. */
  @NotStored()
  telegram?: unknown;

  /** Settings of a Discord bot in other panels. They are not stored, and the answer contains a warning. */
  @NotStored()
  discord?: unknown;

  /** Settings of webhooks in other panels. They are not stored, and the answer contains a warning. */
  @NotStored()
  webhook?: unknown;

  /** Settings of notifications in other panels. They are not stored, and the answer contains a warning. */
  @NotStored()
  notification_settings?: unknown;

  /** Settings of notifications in other panels. They are not stored, and the answer contains a warning. */
  @NotStored()
  notification_enable?: unknown;

  /** Settings of device limits in other panels. They are not stored, and the answer contains a warning. */
  @NotStored()
  hwid?: unknown;
}
