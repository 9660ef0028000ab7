import { Type } from 'class-transformer';
import { IsBoolean, IsDefined, IsIn, IsObject, Matches, ValidateBy, ValidateNested } from 'class-validator';
import { BOOLEAN, OBJECT, oneOf, REQUIRED } from '../validation/messages.js';
import { ObjectList, RequiredText, Text } from '../validation/rules.js';
import { IsWebUrl } from '../validation/web-url.js';

const LANGUAGES = ['fa', 'en', 'ru', 'zh'] as const;
type Language = (typeof LANGUAGES)[number];

const PLATFORMS = ['android', 'ios', 'windows', 'macos', 'linux', 'appletv', 'androidtv'] as const;

/** What a browser runs or shows itself is no address of an application. */
const IMPORT_URL = /^$|^(?!(?:javascript|vbscript|data|blob|file|about):)[a-z][a-z\d+.-]*:\S*\{url\}\S*$/i;

/** A description in several languages; empty: none in that language. */
export class ApplicationDescription {
  /** In Persian. */
  @Text(1024)
  fa = '';

  /** In English. */
  @Text(1024)
  en = '';

  /** In Russian. */
  @Text(1024)
  ru = '';

  /** In Chinese. */
  @Text(1024)
  zh = '';
}

/** Where an application can be had. */
export class DownloadLink {
  /** What the link is called. */
  @RequiredText(64)
  name: string;

  /** An http or https URL. */
  @IsWebUrl()
  @RequiredText(512)
  url: string;

  /** The language of the page to which the link leads. */
  @IsIn(LANGUAGES, oneOf(LANGUAGES))
  @IsDefined(REQUIRED)
  language: Language;
}

/** A client program that the page of a subscription offers. */
export class ClientApplication {
  /** The name of the program. */
  @RequiredText(32)
  name: string;

  /** The http or https URL of its icon; empty: none. */
  @IsWebUrl()
  @Text(512)
  icon_url = '';

  /** Opens the program with a subscription; `{url}` stands for its address. Empty: it cannot be opened so. */
  @Matches(IMPORT_URL, { message: 'Input should be the address of an application with {url} in it' })
  @Text(256)
  import_url = '';

  /** What the program is. */
  @Type(() => ApplicationDescription)
  @ValidateNested()
  @IsObject(OBJECT)
  description = new ApplicationDescription();

  /** Whether it is the recommended one for its platform, of which there is one at most. */
  @IsBoolean(BOOLEAN)
  recommended = false;

  /** The system on which it runs. */
  @IsIn(PLATFORMS, oneOf(PLATFORMS))
  @IsDefined(REQUIRED)
  platform: (typeof PLATFORMS)[number];

  /** Where it can be had. */
  @ObjectList(() => DownloadLink, 20)
  download_links: DownloadLink[] = [];
}

/** For each platform one application at most can be the recommended one. */
export const OneRecommendation = (): PropertyDecorator =>
  ValidateBy(
    { name: 'oneRecommendation', validator: { validate: hasOneRecommendation } },
    { message: 'Only one application can be recommended for a platform' },
  );

function hasOneRecommendation(applications: readonly ClientApplication[]): boolean {
  const platforms = applications.flatMap(({ recommended, platform }) => (recommended ? platform : []));
  return new Set(platforms).size === platforms.length;
}
