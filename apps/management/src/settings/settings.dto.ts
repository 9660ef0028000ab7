import { OptionalObject } from '../http/rules.js';
import { GeneralSettings } from './general-settings.dto.js';
import { SubscriptionSettings } from './subscription-settings.dto.js';

/** All settings that are stored, by section. */
export interface Settings {
  /** How subscriptions are addressed, what they tell, and who gets which format. */
  subscription: SubscriptionSettings;
  /** What new users have where a request says nothing. */
  general: GeneralSettings;
}

/** A section that is given replaces the stored one, one that is not stays; others belong to features that are not here. */
export class SettingsModify {
  /** The whole section. Null or absent: it stays as it is. */
  @OptionalObject(() => SubscriptionSettings)
  subscription?: SubscriptionSettings | null;

  /** The whole section. Null or absent: it stays as it is. */
  @OptionalObject(() => GeneralSettings)
  general?: GeneralSettings | null;
}
