/** Made with the first date: calendars of other countries take some 5 MB, and a node never needs one. */
let jalali: Intl.DateTimeFormat | undefined;

const DAY_MS = 86_400_000;
/** Cache of formatted days by days since 1970: formatting one takes as long as all other variables together. */
const JALALI_DAYS = new Map<number, string>();
const MAX_CACHED_DAYS = 10_000;

/** Formats the day of a date as `YYYY-MM-DD`, in UTC. */
export function isoDate(date: Date): string {
  const text = date.toISOString();
  return text.slice(0, text.indexOf('T'));
}

/** Formats the day of a date in the Jalali calendar as `YYYY-MM-DD`, in UTC. */
export function jalaliDate(date: Date): string {
  const day = Math.floor(date.getTime() / DAY_MS);
  const known = JALALI_DAYS.get(day);
  if (known !== undefined) return known;
  if (JALALI_DAYS.size >= MAX_CACHED_DAYS) JALALI_DAYS.clear();
  const formatted = formatJalali(date);
  JALALI_DAYS.set(day, formatted);
  return formatted;
}

function formatJalali(date: Date): string {
  jalali ??= new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', {
    timeZone: 'UTC',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = jalali.formatToParts(date);
  return ['year', 'month', 'day'].map((type) => parts.find((part) => part.type === type)?.value).join('-');
}
