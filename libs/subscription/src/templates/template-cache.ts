import { type FormatValues, isPlainText } from '@rampart/domain';
import type { CompiledHost } from '../compile/compile-hosts.js';
import { selectionCount, selectionIndex } from '../compile/selection.js';
import type { ProxyProtocol } from '../model/resolved-proxy.js';
import type { SelectedProxy } from '../resolve/resolve-proxies.js';
import type { FormatWriter } from '../writer/format-writer.js';
import { makeTemplate, type ProxyTemplate } from './proxy-template.js';

type Write = FormatWriter['write'];

/** Of one host: with more there is little hope that one of them comes again. */
const MOST_VARIANTS = 256;
/** Of all hosts in all formats: about 30 MB. */
const MOST_TEMPLATES = 20_000;

/** The templates of a snapshot of hosts, made when they are first needed. */
export class TemplateCache {
  /** By format, host, what the protocol is for the user, and variant. */
  private readonly kept = new Map<Write, Map<CompiledHost, Map<string, Map<number, ProxyTemplate>>>>();
  private left = MOST_TEMPLATES;

  /** Undefined: this proxy is to be written anew. */
  find(write: Write, drawn: SelectedProxy): ProxyTemplate | undefined {
    const { host, protocol, picks, request } = drawn;
    if (!hasTemplates(host, request.values)) return undefined;
    const templates = within(within(within(this.kept, write), host), kindOf(protocol));
    const variant = selectionIndex(host, picks);
    const known = templates.get(variant);
    if (known !== undefined || this.left === 0) return known;
    this.left -= 1;
    const made = makeTemplate(write, drawn);
    templates.set(variant, made);
    return made;
  }
}

function within<Key, Inner, Value>(maps: Map<Key, Map<Inner, Value>>, key: Key): Map<Inner, Value> {
  const known = maps.get(key);
  if (known) return known;
  const fresh = new Map<Inner, Value>();
  maps.set(key, fresh);
  return fresh;
}

/** What else than the credentials differs between users. */
function kindOf(protocol: ProxyProtocol): string {
  switch (protocol.type) {
    case 'vless':
      return protocol.flow;
    case 'shadowsocks':
      return protocol.method;
    default:
      return '';
  }
}

/** For which users a host has templates: all that differs between them is drawn from lists, or stands in gaps. */
export type TemplateSupport = 'everybody' | 'plain names' | 'nobody';

/** A name that every format writes as it is, and of which none makes anything in a path. */
const PLAIN_NAME = /^[A-Za-z][\w.-]*$/;

export function templateSupportOf(host: Omit<CompiledHost, 'templated'>): TemplateSupport {
  const { address, path, transport } = host;
  const hasOtherHost = transport.type === 'xhttp' && transport.downloadHostId !== undefined;
  if (hasOtherHost || !address.every(isPlainText) || selectionCount(host) > MOST_VARIANTS) return 'nobody';
  if (isPlainText(path)) return 'everybody';
  // Of gRPC, one stream is called like no other.
  return transport.type === 'grpc' ? 'nobody' : 'plain names';
}

const hasTemplates = ({ templated }: CompiledHost, { USERNAME = '' }: FormatValues): boolean =>
  templated === 'everybody' || (templated === 'plain names' && PLAIN_NAME.test(USERNAME));
