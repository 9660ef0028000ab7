export interface ChartProps {
  /** Unix seconds of the beginnings of the periods, ascending, without gaps. */
  times: readonly number[];
  /** Bytes of each period. */
  values: readonly number[];
  /** What the chart shows, for those who cannot see it. */
  label: string;
  height?: number;
}

export interface Series {
  times: number[];
  values: number[];
}

/** Fills the gaps between periods with zeros: the API lists only periods with traffic. Times are unix seconds. */
export function filled(
  known: readonly { at: string; bytes: number }[],
  start: Date,
  end: Date,
  periodSeconds: number,
): Series {
  const bytes = new Map<number, number>();
  const slotOf = (seconds: number) => Math.floor(seconds / periodSeconds) * periodSeconds;
  for (const one of known) {
    const slot = slotOf(new Date(one.at).getTime() / 1000);
    bytes.set(slot, (bytes.get(slot) ?? 0) + one.bytes);
  }
  const times: number[] = [];
  for (let at = slotOf(start.getTime() / 1000); at < end.getTime() / 1000; at += periodSeconds) times.push(at);
  return { times, values: times.map((at) => bytes.get(at) ?? 0) };
}
