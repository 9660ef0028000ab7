import { Transform } from 'class-transformer';
import { IsOptional } from 'class-validator';
import type { ClientApplication } from '../settings/client-application.dto.js';
import type { UserView } from '../users/view/user.dto.js';
import { PAGE_LANGUAGES, type PageLanguage } from './page/page-text.js';

export class PageQuery {
  /** The language of the page. Any other value selects the language that the browser prefers. */
  @IsOptional()
  @Transform(({ value }) => PAGE_LANGUAGES.find((known) => known === value))
  lang?: PageLanguage;
}

/** What users may see about themselves. */
export type SubscriptionInfo = Omit<UserView, 'admin' | 'note' | 'auto_delete_in_days' | 'subscription_url'>;

/** An application with the link that opens it with this subscription. */
export interface OfferedApplication extends Omit<ClientApplication, 'import_url'> {
  /** The link that opens the application with this subscription. Empty means that there is none. */
  import_url: string;
}
