import { LOOPBACK_TAG } from '../../names/reserved.js';
import type { JsonObject } from '../json-tree.js';
import { innerAt, valueAt, withMembers, wordAt } from './folded.js';

/** The outbounds that connect to what users ask for, and not to a server that the configuration names. */
const FREEDOM = ['freedom', 'direct'];
const SELF_DIALLING = [...FREEDOM, 'dns'];

/** Tries all addresses of an answer as the system does: IPv6 first, and the next one soon. Hosts without IPv6 lose no time. */
const HAPPY_EYEBALLS = { prioritizeIPv6: true, tryDelayMs: 250 };

/** Whether an outbound connects to targets that users choose. */
export function dialsUserTargets(outbound: JsonObject): boolean {
  if (!SELF_DIALLING.includes(protocolOf(outbound))) return false;
  const settings = innerAt(outbound, 'settings');
  return isFreedom(outbound) ? !redirects(wordAt(settings, 'redirect')) : wordAt(settings, 'address') === '';
}

export const isFreedom = (outbound: JsonObject): boolean => FREEDOM.includes(protocolOf(outbound));

/** Whether an outbound connects through another one. */
export function isChained(outbound: JsonObject): boolean {
  const sockopt = innerAt(innerAt(outbound, 'streamSettings'), 'sockopt');
  return wordAt(sockopt, 'dialerProxy') !== '' || wordAt(innerAt(outbound, 'proxySettings'), 'tag') !== '';
}

/**
 * The outbound with a tag for what it sends back into routing. The engine gives this tag to all streams of a mux connection, so
 * that without one no rule for an inbound would match them any more.
 */
export function withLoopbackTag(outbound: JsonObject): JsonObject {
  if (!isLoopback(outbound) || loopbackTag(outbound) !== '') return outbound;
  return withMembers(outbound, { settings: withMembers(innerAt(outbound, 'settings'), { inboundTag: LOOPBACK_TAG }) });
}

/** The tags under which outbounds send connections back into routing. */
export const loopbackTags = (outbounds: readonly JsonObject[]): string[] =>
  outbounds.filter(isLoopback).map(loopbackTag);

const isLoopback = (outbound: JsonObject): boolean => protocolOf(outbound) === 'loopback';
const loopbackTag = (outbound: JsonObject): string => wordAt(innerAt(outbound, 'settings'), 'inboundTag');

/** An outbound that dials nothing but the addresses that the engine's DNS gives; newer engines allow it what is allowed here. */
export function withJudgedNames(outbound: JsonObject, allowed: readonly string[]): JsonObject {
  const settings = innerAt(outbound, 'settings');
  if (isFreedom(outbound) && redirects(wordAt(settings, 'redirect')))
    return withFinalRules(outbound, [{ action: 'allow' }]);
  if (!dialsUserTargets(outbound)) return outbound;
  const stream = innerAt(outbound, 'streamSettings');
  const sockopt = innerAt(stream, 'sockopt');
  const judged = withMembers(outbound, {
    streamSettings: withMembers(stream, {
      sockopt: withMembers(sockopt, {
        addressPortStrategy: 'none',
        // A chained outbound leaves the look-up to the one through which it connects.
        ...(!isChained(outbound) && {
          domainStrategy: forced(wordAt(sockopt, 'domainStrategy')),
          happyEyeballs: valueAt(sockopt, 'happyEyeballs') ?? HAPPY_EYEBALLS,
        }),
      }),
    }),
  });
  return isFreedom(outbound) && allowed.length > 0
    ? withFinalRules(judged, [{ action: 'allow', ip: allowed }])
    : judged;
}

/** The strategy with which a failed look-up is the end: `UseIPv4` becomes `ForceIPv4`. */
export function forced(strategy: string, otherwise = 'ForceIP'): string {
  return /^(?:use|force)ip/i.test(strategy) ? `Force${strategy.replace(/^(?:use|force)/i, '')}` : otherwise;
}

/** Engines from 26.7 on block private addresses in this outbound unless one of its rules allows them; 26.3.27 ignores the rules. */
function withFinalRules(outbound: JsonObject, rules: readonly JsonObject[]): JsonObject {
  const settings = innerAt(outbound, 'settings');
  const own = valueAt(settings, 'finalRules');
  return withMembers(outbound, {
    settings: withMembers(settings, { finalRules: [...rules, ...(Array.isArray(own) ? own : [])] }),
  });
}

/** Whether the setting names an address, and not only a port. */
function redirects(redirect: string): boolean {
  const host = redirect.replace(/:[^:\]]*$/, '');
  return !['', '0.0.0.0', '[::]', '::'].includes(host);
}

function protocolOf(outbound: JsonObject): string {
  return wordAt(outbound, 'protocol').toLowerCase();
}
