import type { status } from '@grpc/grpc-js';

/** An error of the reference node: a text, and the status that each of its two services answers with. */
export class ReferenceRefusal extends Error {
  constructor(
    readonly http: number,
    readonly grpc: status,
    text: string,
    /** The text over REST, where it is another one. */
    readonly restText = text,
  ) {
    super(text);
  }
}
