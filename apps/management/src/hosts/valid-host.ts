import { readDto } from '../validation/pipes/request.pipe.js';
import { HostDocuments } from './host.dto.js';
import type { Host } from './host.entity.js';

/** The column of each JSON document, by the name of the document in requests. */
const COLUMNS = {
  http_headers: 'httpHeaders',
  transport_settings: 'transportSettings',
  mux_settings: 'muxSettings',
  fragment_settings: 'fragmentSettings',
  noise_settings: 'noiseSettings',
} as const satisfies Record<keyof HostDocuments, keyof Host>;

/**
 * A stored host without its damaged documents, which count as not set, so that neither a list nor a subscription fails.
 * Documents were checked when they were saved; the row keeps a damaged one.
 */
export function validHost<T extends Host>(host: T): { host: T; problems: string[] } {
  const documents = Object.entries(COLUMNS).map(([name, column]) => [name, host[column]] as const);
  const read = readDto(Object.fromEntries(documents), HostDocuments);
  if ('dto' in read) return { host, problems: [] };
  const damaged = new Set(Object.keys(read.problems).map((path) => path.split('.', 1)[0]));
  const cleared = Object.entries(COLUMNS).flatMap(([name, column]) => (damaged.has(name) ? [[column, null]] : []));
  const problems = Object.entries(read.problems).map(([path, text]) => `${path}: ${text}`);
  return { host: { ...host, ...Object.fromEntries(cleared) }, problems };
}
