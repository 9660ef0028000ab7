import { renderProxies } from '../formats/subscription-format.js';
import type { RenderedDocument } from '../writer/format-writer.js';

/** A document of resolved proxies, with its body as text. */
export function renderText(
  ...asked: Parameters<typeof renderProxies>
): Omit<RenderedDocument, 'body'> & { body: string } {
  const { body, leftOut } = renderProxies(...asked);
  return { body: body.toString(), leftOut };
}
