/** What was found about one thing that management depends on. */
export interface CheckView {
  /** What was looked at, such as `database` or `node near: clock`. */
  name: string;
  /** `warning`: it works, but not for long or not for everybody. `wrong`: it does not work. */
  state: 'ok' | 'warning' | 'wrong';
  /** What was seen, in a sentence. */
  seen: string;
  /** What to do, in a sentence; null where nothing is to be done. */
  advice: string | null;
}

/** What the doctor has found. */
export interface DoctorView {
  /** The version of the running management. */
  version: string;
  /** A row for each thing, in the order in which they depend on each other. */
  checks: CheckView[];
}
