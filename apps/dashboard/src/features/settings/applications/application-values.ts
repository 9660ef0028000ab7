import type { Application } from '../../../api/types';

export const PLATFORMS = ['android', 'ios', 'windows', 'macos', 'linux', 'appletv', 'androidtv'] as const;
/** The languages of descriptions and download pages, by their own names. */
export const TEXT_LANGUAGES = { en: 'English', fa: 'فارسی', ru: 'Русский', zh: '中文' } as const;

/** An application with every member, as its form has it. */
export const applicationValues = (application: Application | undefined) => ({
  name: application?.name ?? '',
  platform: application?.platform ?? ('android' as const),
  recommended: application?.recommended ?? false,
  import_url: application?.import_url ?? '',
  icon_url: application?.icon_url ?? '',
  description: { en: '', fa: '', ru: '', zh: '', ...application?.description },
  download_links: application?.download_links ?? [],
});

export type ApplicationValues = ReturnType<typeof applicationValues>;

/** The list with one application replaced, or with a new one at its end. */
export const withApplication = (
  list: readonly Application[],
  at: number | undefined,
  application: Application,
): Application[] => (at === undefined ? [...list, application] : list.with(at, application));

/** The list with one application at another place. */
export function movedApplication(list: readonly Application[], from: number, to: number): Application[] {
  const [moved] = list.slice(from, from + 1);
  const rest = list.toSpliced(from, 1);
  return moved ? rest.toSpliced(to, 0, moved) : rest;
}
