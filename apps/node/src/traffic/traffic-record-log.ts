/** Stores the records of the traffic counters outside memory. */
export interface TrafficRecordLog {
  /** Resolves with false when the disk fails. */
  appendRecords(records: readonly Uint8Array[], options?: { readonly durable?: boolean }): Promise<boolean>;
  /** Deletes a file that is behind the memory: after a crash, no file is better than counting bytes twice. */
  discardOutdatedFile(): Promise<void>;
}

/**
 * Appends a record of traffic that is being reported. When the disk fails, discards the file, so that the same bytes
 * are not reported again after a crash.
 */
export async function appendOrDiscard(
  recordLog: TrafficRecordLog,
  record: Uint8Array,
  options?: { durable: boolean },
): Promise<void> {
  if (!(await recordLog.appendRecords([record], options))) await recordLog.discardOutdatedFile();
}
