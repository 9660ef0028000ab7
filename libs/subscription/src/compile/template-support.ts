import { isPlainText } from '@rampart/domain';
import type { CompiledHost, TemplateSupport } from '../model/compiled-host.js';
import { selectionCount } from './selection.js';

/** Maximum number of selections of a host with templates: with more, a template is rarely used a second time. */
const MAX_SELECTIONS = 256;

/**
 * Tells for which users a host's entries can be written from a template: everything that differs between these users is
 * selected from lists, or stands in a placeholder of the template.
 */
export function templateSupportOf(host: Omit<CompiledHost, 'templateSupport'>): TemplateSupport {
  const { address, path, transport } = host;
  const hasDownloadHost = transport.type === 'xhttp' && transport.downloadHostId !== undefined;
  if (hasDownloadHost || !address.every(isPlainText) || selectionCount(host) > MAX_SELECTIONS) return 'none';
  if (isPlainText(path)) return 'all users';
  // The service name of gRPC is written in another way when its stream is called `Tun`.
  return transport.type === 'grpc' ? 'none' : 'plain usernames';
}
