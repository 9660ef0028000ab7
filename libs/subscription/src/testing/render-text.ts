import { renderSubscription } from '../formats/subscription-format.js';
import type { RenderedSubscription } from '../rendered.js';

/** A subscription as text. */
export function renderText(
  ...asked: Parameters<typeof renderSubscription>
): Omit<RenderedSubscription, 'body'> & { body: string } {
  const { body, leftOut } = renderSubscription(...asked);
  return { body: body.toString(), leftOut };
}
