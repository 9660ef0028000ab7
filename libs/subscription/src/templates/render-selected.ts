import type { SelectedProxy } from '../model/selected-proxy.js';
import { resolveProxy } from '../resolve/resolve-proxy.js';
import { documentEntry, type FormatWriter, type RenderedDocument, renderDocument } from '../writer/format-writer.js';
import { cachedEscape, fillTemplate } from './proxy-template.js';
import type { TemplateCache } from './template-cache.js';

/** Renders selected proxies: from templates where they have one, else each proxy on its own. The result is the same. */
export function renderSelected(
  writer: FormatWriter,
  proxies: readonly SelectedProxy[],
  templates: TemplateCache,
): RenderedDocument {
  const escapeCredential = cachedEscape();
  return renderDocument(writer, proxies, (proxy) => {
    const template = templates.findTemplate(writer.writeProxy, proxy);
    if (template === undefined) return documentEntry(writer, resolveProxy(proxy));
    return template === null ? undefined : fillTemplate(template, proxy, escapeCredential);
  });
}
