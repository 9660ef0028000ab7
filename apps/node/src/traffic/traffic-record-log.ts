/** Where the traffic's book is kept, beside memory; `Journal` is one. */
export interface TrafficRecordLog {
  /** False when it is not kept, because the disk fails. */
  appendRecords(records: readonly Uint8Array[], options?: { readonly durable?: boolean }): Promise<boolean>;
  /** Takes what is kept away, when it is behind: after a crash rather no book than one that counts bytes again. */
  discardOutdatedFile(): Promise<void>;
}

/** Keeps what others have been told: it must not be told to them again after a crash. */
export async function appendOrDiscard(
  recorder: TrafficRecordLog,
  record: Uint8Array,
  options?: { durable: boolean },
): Promise<void> {
  if (!(await recorder.appendRecords([record], options))) await recorder.discardOutdatedFile();
}
