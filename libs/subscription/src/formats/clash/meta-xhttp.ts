import type { JsonObject } from '@rampart/core-config';
import type { XhttpTransport } from '../../model/resolved-proxy.js';
import { nonEmptyMembers } from '../../writer/non-empty-members.js';
import { unlessEmpty } from './clash-stream.js';
import { metaSecurity } from './meta-security.js';
import { renameMembers } from './rename-members.js';

/** Settings that both ends must share: the names of the engine, and those of mihomo. */
const XHTTP_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['noGRPCHeader', 'no-grpc-header'],
  ['xPaddingBytes', 'x-padding-bytes'],
  ['xPaddingObfsMode', 'x-padding-obfs-mode'],
  ['xPaddingKey', 'x-padding-key'],
  ['xPaddingHeader', 'x-padding-header'],
  ['xPaddingPlacement', 'x-padding-placement'],
  ['xPaddingMethod', 'x-padding-method'],
  ['uplinkHTTPMethod', 'uplink-http-method'],
  ['sessionPlacement', 'session-placement'],
  ['sessionIDPlacement', 'session-placement'],
  ['sessionKey', 'session-key'],
  ['sessionIDKey', 'session-key'],
  ['sessionIDTable', 'session-table'],
  ['sessionIDLength', 'session-length'],
  ['seqPlacement', 'seq-placement'],
  ['seqKey', 'seq-key'],
  ['uplinkDataPlacement', 'uplink-data-placement'],
  ['uplinkDataKey', 'uplink-data-key'],
  ['uplinkChunkSize', 'uplink-chunk-size'],
  ['scMaxEachPostBytes', 'sc-max-each-post-bytes'],
  ['scMinPostsIntervalMs', 'sc-min-posts-interval-ms'],
]);

const XMUX_OPTIONS: ReadonlyMap<string, string> = new Map([
  ['maxConcurrency', 'max-concurrency'],
  ['maxConnections', 'max-connections'],
  ['cMaxReuseTimes', 'c-max-reuse-times'],
  ['hMaxRequestTimes', 'h-max-request-times'],
  ['hMaxReusableSecs', 'h-max-reusable-secs'],
  ['hKeepAlivePeriod', 'h-keep-alive-period'],
]);

/** Whether a path has a query, which mihomo would send as part of the path. */
export const hasQuery = ({ path, download }: XhttpTransport): boolean =>
  path.includes('?') || (download?.transport.path.includes('?') ?? false);

/** The xhttp settings of a mihomo proxy. */
export function metaXhttp(transport: XhttpTransport): object {
  const { mode, extra, headers, path, host, download } = transport;
  return {
    path: path || '/',
    ...nonEmptyMembers({ host }),
    mode,
    ...unlessEmpty('headers', headers),
    ...renameMembers(extra, XHTTP_OPTIONS),
    ...reuseSettings(extra),
    ...(download && { 'download-settings': downloadSettings(download) }),
  };
}

function reuseSettings({ xmux }: JsonObject): object {
  return unlessEmpty('reuse-settings', renameMembers(Object(xmux), XMUX_OPTIONS, ['hKeepAlivePeriod']));
}

/** The settings of the server through which the download goes. */
function downloadSettings({ address, port, transport, security }: NonNullable<XhttpTransport['download']>): object {
  const { path, host, headers, extra } = transport;
  return {
    server: address,
    port,
    path: path || '/',
    ...nonEmptyMembers({ host }),
    ...unlessEmpty('headers', headers),
    ...reuseSettings(extra),
    ...(security.type === 'none' ? { tls: false } : metaSecurity(security, 'servername')),
  };
}
