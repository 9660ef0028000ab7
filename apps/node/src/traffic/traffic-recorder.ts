/** Where the traffic's book is kept, beside memory; `Journal` is one. */
export interface TrafficRecorder {
  /** False when it is not kept, because the disk fails. */
  append(records: readonly Uint8Array[], options?: { readonly durable?: boolean }): Promise<boolean>;
  /** Takes what is kept away, when it is behind: after a crash rather no book than one that counts bytes again. */
  discard(): Promise<void>;
}

/** Keeps what others have been told: it must not be told to them again after a crash. */
export async function keep(
  recorder: TrafficRecorder,
  record: Uint8Array,
  options?: { durable: boolean },
): Promise<void> {
  if (!(await recorder.append([record], options))) await recorder.discard();
}
