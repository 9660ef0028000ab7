import { createHash } from 'node:crypto';
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

/** What is wrong with the member at each path of a host's documents. */
type Problems = Readonly<Record<string, string>>;

/** As many documents as are remembered; a list of more hosts validates the others again. */
const MAX_REMEMBERED = 5_000;

/** The problems of documents that were validated before, by their digest: lists and subscriptions read the same ones again and again. */
const remembered = new Map<string, Problems>();

/**
 * A stored host without its damaged documents, which count as not set, so that neither a list nor a subscription fails.
 * Documents were checked when they were saved; the row keeps a damaged one.
 */
export function validHost<T extends Host>(host: T): { host: T; problems: string[] } {
  const found = Object.entries(problemsOf(host));
  if (found.length === 0) return { host, problems: [] };
  const damaged = new Set(found.map(([path]) => path.split('.', 1)[0]));
  const cleared = Object.entries(COLUMNS).flatMap(([name, column]) => (damaged.has(name) ? [[column, null]] : []));
  const problems = found.map(([path, text]) => `${path}: ${text}`);
  return { host: { ...host, ...Object.fromEntries(cleared) }, problems };
}

function problemsOf(host: Host): Problems {
  const documents = Object.fromEntries(Object.entries(COLUMNS).map(([name, column]) => [name, host[column] ?? null]));
  const digest = createHash('sha256').update(JSON.stringify(documents)).digest('base64');
  const known = remembered.get(digest);
  if (known) return known;
  const read = readDto(documents, HostDocuments);
  const problems = 'dto' in read ? {} : read.problems;
  const [oldest] = remembered.keys();
  if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest);
  remembered.set(digest, problems);
  return problems;
}
