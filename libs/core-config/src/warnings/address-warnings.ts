import type { OfferedInbound } from '../offer/offered-inbound.js';
import {
  acceptsProxyProtocol,
  FORWARDED,
  givenHeaders,
  NOBODY,
  readsAddresses,
  trustedHeaders,
} from '../offer/trusted-headers.js';
import type { Inbound } from '../read/inbound.js';
import { compareVersions } from './version.js';
import type { CoreConfigWarning } from './warning.js';

/** The first engine that believes addresses over grpc only with a listed header. */
const GRPC_LISTS_SINCE = '26.6.22';

/**
 * Warns where the addresses of users, by which rules judge and which are shown, may be those of a proxy, or what users like.
 *
 * @param all the inbounds of the configuration, also those that users do not get
 */
export function addressWarnings(
  inbound: Inbound,
  { removed, isLocal, reality }: OfferedInbound,
  all: readonly Inbound[],
  engineVersions: readonly string[],
): CoreConfigWarning[] {
  if (removed !== undefined || !readsAddresses(inbound)) return [];
  const { tag, path, network } = inbound;
  const given = givenHeaders(inbound);
  const trusted = trustedHeaders(inbound, all);
  const stream = `${path}.streamSettings`;
  const list = `${stream}.sockopt.trustedXForwardedFor`;
  if (network === 'grpc' && !isLocal && believesEverybody(engineVersions)) {
    const message = `engines before ${GRPC_LISTS_SINCE} take the address of a user of inbound ${tag} from X-Real-IP, whoever sends it: users can forge their addresses there, as over no other transport`;
    return [{ path: `${stream}.network`, code: 'address_forgeable', message }];
  }
  if (given !== undefined && !isLocal && trusted.some((name) => name.toLowerCase() === FORWARDED.toLowerCase())) {
    const message = `inbound ${tag} believes X-Forwarded-For because it is there, whoever sends it: users can forge their addresses; name a header that only your proxy adds`;
    return [{ path: list, code: 'address_forgeable', message }];
  }
  const isDirect = reality !== undefined || acceptsProxyProtocol(inbound);
  if (given === undefined && trusted === NOBODY && !isDirect) {
    const message = `inbound ${tag} does not read X-Forwarded-For: behind a CDN or a proxy, users have its addresses until trustedXForwardedFor names a header that it adds; an empty list says that there is none`;
    return [{ path: list, code: 'address_of_proxy', message }];
  }
  return [];
}

function believesEverybody(engineVersions: readonly string[]): boolean {
  return (
    engineVersions.length === 0 || engineVersions.some((version) => compareVersions(version, GRPC_LISTS_SINCE) < 0)
  );
}
