/** Intervals and limits of probes, in milliseconds where nothing else is said. */
export class ProbeTiming {
  /** Interval between looks for hosts that are to be probed. */
  readonly lookMs: number = 10_000;
  /** How long nodes may take to get the user of probes. */
  readonly userMs: number = 10_000;
  /** Seconds for which nodes serve the user of a round whose replica has gone. */
  readonly userSeconds: number = 60;
  /** After this time a round makes no more probes: its hosts are claimed for no longer. */
  readonly roundMs: number = 600_000;
  /** Time of one probe. */
  readonly probeMs: number = 10_000;
  /** The same for REALITY, whose server lets clients wait for up to about 10 s after each start. Nodes allow 30 s. */
  readonly realityProbeMs: number = 20_000;
}
