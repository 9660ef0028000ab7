/** The body of a subscription in UTF-8, and how many hosts it is without because its format or client cannot carry them. */
export interface RenderedSubscription {
  readonly body: Buffer;
  readonly leftOut: number;
}
