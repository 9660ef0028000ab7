import type { FormatValues } from '@rampart/domain';
import { selectionIndex } from '../compile/selection.js';
import type { CompiledHost } from '../model/compiled-host.js';
import type { ProxyProtocol } from '../model/resolved-proxy.js';
import type { SelectedProxy } from '../model/selected-proxy.js';
import type { FormatWriter } from '../writer/format-writer.js';
import { makeTemplate, type ProxyTemplate } from './proxy-template.js';

type WriteProxy = FormatWriter['writeProxy'];

/** Maximum number of templates of all hosts in all formats; they take about 30 MB. */
const MAX_TEMPLATES = 20_000;

/**
 * Caches the templates of one `CompiledHosts`; each template is made when it is first needed. It stands beside the
 * compiled hosts, and a new one is needed for each of them.
 */
export class TemplateCache {
  /** The templates are found by format, host, credential kind and selection index. */
  private readonly templates = new Map<WriteProxy, Map<CompiledHost, Map<string, Map<number, ProxyTemplate | null>>>>();
  private freeSlots = MAX_TEMPLATES;

  /**
   * The template of a proxy in a format, identified by its `writeProxy` function.
   *
   * @returns null when the format leaves the proxy out, undefined when the proxy must be written without a template.
   */
  findTemplate(writeProxy: WriteProxy, proxy: SelectedProxy): ProxyTemplate | null | undefined {
    const { host, protocol, selection, request } = proxy;
    if (!canUseTemplate(host, request.values)) return undefined;
    const byKind = nestedMap(nestedMap(this.templates, writeProxy), host);
    const bySelection = nestedMap(byKind, credentialKind(protocol));
    const index = selectionIndex(host, selection);
    const known = bySelection.get(index);
    if (known !== undefined || this.freeSlots === 0) return known;
    this.freeSlots -= 1;
    const template = makeTemplate(writeProxy, proxy);
    bySelection.set(index, template);
    return template;
  }
}

/** The map under a key, which is created when it is missing. */
function nestedMap<Key, InnerKey, Value>(maps: Map<Key, Map<InnerKey, Value>>, key: Key): Map<InnerKey, Value> {
  const known = maps.get(key);
  if (known) return known;
  const created = new Map<InnerKey, Value>();
  maps.set(key, created);
  return created;
}

/** What differs between users of one host beside the credentials themselves. */
function credentialKind(protocol: ProxyProtocol): string {
  switch (protocol.type) {
    case 'vless':
      return protocol.flow;
    case 'shadowsocks':
      return protocol.method;
    default:
      return '';
  }
}

/** A username that every format writes unchanged, and that has no meaning in a path. */
const PLAIN_USERNAME = /^[A-Za-z][\w.-]*$/;

const canUseTemplate = ({ templateSupport }: CompiledHost, { USERNAME = '' }: FormatValues): boolean =>
  templateSupport === 'all users' || (templateSupport === 'plain usernames' && PLAIN_USERNAME.test(USERNAME));
