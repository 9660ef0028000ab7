import { Type } from 'class-transformer';
import { IsBoolean, IsDefined, IsIn, IsObject, Matches, ValidateBy, ValidateNested } from 'class-validator';
import { BOOLEAN, OBJECT, oneOf, REQUIRED } from '../validation/messages.js';
import { ObjectList, RequiredText, Text } from '../validation/rules.js';
import { IsWebUrl } from '../validation/web-url.js';

const LANGUAGES = ['fa', 'en', 'ru', 'zh'] as const;
type Language = (typeof LANGUAGES)[number];

const PLATFORMS = ['android', 'ios', 'windows', 'macos', 'linux', 'appletv', 'androidtv'] as const;

/** Addresses that a browser would run or show by itself do not open an application. */
const IMPORT_URL = /^$|^(?!(?:javascript|vbscript|data|blob|file|about):)[a-z][a-z\d+.-]*:\S*\{url\}\S*$/i;

/** A description in several languages. An empty text means that there is none in that language. */
export class ApplicationDescription {
  /** The description in Persian. */
  @Text(1024)
  fa = '';

  /** The description in English. */
  @Text(1024)
  en = '';

  /** The description in Russian. */
  @Text(1024)
  ru = '';

  /** The description in Chinese. */
  @Text(1024)
  zh = '';
}

/** A page from which an application can be downloaded. */
export class DownloadLink {
  /** The text of the link. */
  @RequiredText(64)
  name: string;

  /** The http or https URL of the page. */
  @IsWebUrl()
  @RequiredText(512)
  url: string;

  /** The language of the linked page. */
  @IsIn(LANGUAGES, oneOf(LANGUAGES))
  @IsDefined(REQUIRED)
  language: Language;
}

/** An application that the page of a subscription offers. */
export class ClientApplication {
  /** The name of the application. */
  @RequiredText(32)
  name: string;

  /** The http or https URL of its icon. Empty means none. */
  @IsWebUrl()
  @Text(512)
  icon_url = '';

  /**
   * The address that opens the application with a subscription, with `{url}` in place of the subscription URL. Empty
   * means that there is none.
   */
  @Matches(IMPORT_URL, { message: 'Input should be the address of an application with {url} in it' })
  @Text(256)
  import_url = '';

  /** Descriptions of the application. */
  @Type(() => ApplicationDescription)
  @ValidateNested()
  @IsObject(OBJECT)
  description = new ApplicationDescription();

  /** Whether the application is the recommended one for its platform. At most one may be. */
  @IsBoolean(BOOLEAN)
  recommended = false;

  /** The platform on which the application runs. */
  @IsIn(PLATFORMS, oneOf(PLATFORMS))
  @IsDefined(REQUIRED)
  platform: (typeof PLATFORMS)[number];

  /** Pages from which the application can be downloaded. */
  @ObjectList(() => DownloadLink, 20)
  download_links: DownloadLink[] = [];
}

/** At most one application per platform may be recommended. */
export const OneRecommendation = (): PropertyDecorator =>
  ValidateBy(
    { name: 'oneRecommendation', validator: { validate: hasOneRecommendation } },
    { message: 'Only one application can be recommended for a platform' },
  );

function hasOneRecommendation(applications: readonly ClientApplication[]): boolean {
  const platforms = applications.flatMap(({ recommended, platform }) => (recommended ? platform : []));
  return new Set(platforms).size === platforms.length;
}
