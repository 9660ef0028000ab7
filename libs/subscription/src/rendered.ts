/** The body of a subscription, and how many hosts it is without because its format or client cannot carry them. */
export interface RenderedSubscription {
  readonly body: string;
  readonly leftOut: number;
}
