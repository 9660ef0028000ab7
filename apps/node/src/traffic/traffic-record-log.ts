/** Stores the records of the traffic counters outside memory. */
export interface TrafficRecordLog {
  /** Resolves with false when the disk fails. */
  appendRecords(records: readonly Uint8Array[], options?: { readonly durable?: boolean }): Promise<boolean>;
  /** Removes a stored state that is behind: after a crash no state is better than counting bytes twice. */
  discardOutdatedFile(): Promise<void>;
}

/** Appends a record of what has been reported to others, who must not get it again after a crash. */
export async function appendOrDiscard(
  recordLog: TrafficRecordLog,
  record: Uint8Array,
  options?: { durable: boolean },
): Promise<void> {
  if (!(await recordLog.appendRecords([record], options))) await recordLog.discardOutdatedFile();
}
