import { OptionalObject } from '../http/rules.js';
import { GeneralSettings } from './general-settings.dto.js';
import { SubscriptionSettings } from './subscription-settings.dto.js';

/** All settings that are stored, by section. */
export interface Settings {
  subscription: SubscriptionSettings;
  general: GeneralSettings;
}

/** A section that is given replaces the stored one, one that is not stays; others belong to features that are not here. */
export class SettingsModify {
  @OptionalObject(() => SubscriptionSettings)
  subscription?: SubscriptionSettings | null;

  @OptionalObject(() => GeneralSettings)
  general?: GeneralSettings | null;
}
