/** Browsers name those with which they are compatible too, so the special ones come first. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d+)/],
  ['Opera', /\bOPR\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)\S* (?:Mobile\/\S+ )?Safari\//],
];
const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Macintosh/],
  ['Linux', /Linux/],
];

/** A name of the browser that people know, such as `Firefox 142, Windows`; else the beginning of its User-Agent. */
export function browserName(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined;
  const found = BROWSERS.find(([, pattern]) => pattern.test(userAgent));
  if (!found) return userAgent.slice(0, 40);
  const [name, pattern] = found;
  const system = SYSTEMS.find(([, one]) => one.test(userAgent))?.[0];
  return [`${name} ${pattern.exec(userAgent)?.[1]}`, system].filter(Boolean).join(', ');
}
