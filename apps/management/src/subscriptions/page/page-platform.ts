/** Platforms for which the page offers applications, in the order in which readers choose among them. */
export const PAGE_PLATFORMS = ['android', 'ios', 'windows', 'macos', 'linux', 'androidtv', 'appletv'] as const;
export type PagePlatform = (typeof PAGE_PLATFORMS)[number];

/** The first that matches counts: other systems name Linux and macOS too. */
const BY_USER_AGENT: readonly (readonly [PagePlatform, RegExp])[] = [
  ['appletv', /Apple ?TV/],
  ['ios', /iPhone|iPad|iPod/],
  ['androidtv', /Android.*(?:TV\b|AFT)/],
  ['android', /Android|CrOS/],
  ['windows', /Windows/],
  ['macos', /Macintosh|Mac OS X/],
  ['linux', /Linux|X11/],
];

/** The platform of this name, if there is one. */
export const knownPlatform = (name: string | undefined): PagePlatform | undefined =>
  PAGE_PLATFORMS.find((known) => known === name);

/** The platform of a browser; Android, which most readers have, when its User-Agent names none. */
export const platformOf = (userAgent: string): PagePlatform =>
  BY_USER_AGENT.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'android';
