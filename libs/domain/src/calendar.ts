const JALALI = new Intl.DateTimeFormat('en-US-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day as `YYYY-MM-DD`, in UTC. */
export function isoDate(date: Date): string {
  return date.toISOString().replace(/T.*/, '');
}

/** The day in the Jalali calendar as `YYYY-MM-DD`, in UTC. */
export function jalaliDate(date: Date): string {
  const parts = JALALI.formatToParts(date);
  return ['year', 'month', 'day'].map((type) => parts.find((part) => part.type === type)?.value).join('-');
}
