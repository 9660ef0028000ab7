import { IsOptional } from 'class-validator';
import type { ClientApplication } from '../settings/client-application.dto.js';
import type { UserView } from '../users/view/user.dto.js';

export class PageQuery {
  /** The language of the page: `en`, `fa`, `ru` or `zh`. Any other value selects the language that the browser prefers. */
  @IsOptional()
  lang?: string;

  /**
   * The platform for which the page shows how to begin: `android`, `ios`, `windows`, `macos`, `linux`, `androidtv` or
   * `appletv`. Any other value selects the platform of the browser.
   */
  @IsOptional()
  os?: string;
}

/** What users may see about themselves. */
export type SubscriptionInfo = Omit<
  UserView,
  'admin' | 'note' | 'auto_delete_in_days' | 'subscription_url' | 'version'
>;

/** An application with the link that opens it with this subscription. */
export interface OfferedApplication extends Omit<ClientApplication, 'import_url'> {
  /** The link that opens the application with this subscription. Empty means that there is none. */
  import_url: string;
}
