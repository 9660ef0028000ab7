import type { status } from '@grpc/grpc-js';

/** How the other node fails: a text, and the status that each of its two services gives it. */
export class ReferenceRefusal extends Error {
  constructor(
    readonly http: number,
    readonly grpc: status,
    text: string,
  ) {
    super(text);
  }
}
