/** The bytes that the ends of the connections of one user on one node have sent and received. */
export class Bytes {
  clientSent = 0;
  clientReceived = 0;
  serverSent = 0;
  serverReceived = 0;

  /** Bytes that certainly went through a node, because one end has received them. */
  get received(): number {
    return this.clientReceived + this.serverReceived;
  }

  /** Bytes that may have gone through a node, because one end has sent them. */
  get sent(): number {
    return this.clientSent + this.serverSent;
  }
}

/** The bytes by user and node, with what was sent at which time. */
export class ByteBook {
  private readonly byKey = new Map<string, Bytes>();
  private readonly samples: { readonly at: number; readonly sent: ReadonlyMap<string, number> }[] = [];

  of(key: string): Bytes {
    let bytes = this.byKey.get(key);
    if (bytes === undefined) {
      bytes = new Bytes();
      this.byKey.set(key, bytes);
    }
    return bytes;
  }

  /** Notes what was sent until now. @param at a time in milliseconds */
  sample(at: number): void {
    this.samples.push({ at, sent: new Map([...this.byKey].map(([key, { sent }]) => [key, sent])) });
  }

  /** What was sent between two times, to the accuracy of the samples, and never less. */
  sentBetween(key: string, from: number, to: number): number {
    const before = this.samples.findLast(({ at }) => at <= from)?.sent.get(key) ?? 0;
    const after = this.samples.find(({ at }) => at >= to)?.sent.get(key) ?? this.of(key).sent;
    return after - before;
  }
}
