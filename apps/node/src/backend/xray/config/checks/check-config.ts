import { type Inbound, isFragment } from '@rampart/core-config';
import { type JsonObject, objectAt, objectsAt, refuse, textAt } from '../json-tree.js';
import { managedInbounds } from '../managed-inbound.js';
import type { NodeConfig } from '../node-config.js';
import { checkCertificates } from './certificates.js';
import { checkGeoFiles, checkMachineAccess } from './file-access.js';
import { checkDistinct, checkListen } from './listeners.js';
import { checkPatterns } from './patterns.js';
import { checkSelectors } from './selectors.js';
import { checkReplaced, checkTags } from './tags.js';
import { checkBalancers, checkChains, checkObserved, checkRuleTargets } from './targets.js';
import { checkMethods2022, checkOwnUsers } from './users.js';

/**
 * Throws CONFIG_REFUSED for the first thing that the engine would accept and then fail on, leak through or hang on. What the
 * engine's own check finds is left to that check.
 */
export function checkConfig(config: NodeConfig): void {
  const { tree, inbounds, excluded, outbounds, balancers, exits } = config;
  checkMachineAccess(tree);
  checkPatterns(tree);
  checkTags('inbounds', inbounds);
  checkTags('outbounds', outbounds);
  checkTags('routing.balancers', balancers);
  for (const inbound of inbounds) {
    checkListen(inbound);
    checkMasks(inbound);
  }
  for (const inbound of excluded) checkOwnUsers(inbound);
  checkMethods2022(managedInbounds(inbounds, excluded));
  checkMetrics(tree);
  checkReplaced(exits);
  checkSelectors(config);
  checkRuleTargets(config);
  checkBalancers(config);
  checkChains(config);
  checkDistinct(inbounds);
  checkObserved(config);
  for (const inbound of inbounds) checkCertificates(inbound);
  checkGeoFiles(tree);
}

/** Throws CONFIG_REFUSED for a mask that passes the engine's own check and crashes the engine at the first connection. */
function checkMasks({ tag, tree, security }: Inbound): void {
  if (security !== 'reality') return;
  const place = `inbound "${tag}": streamSettings.finalmask`;
  const masks = objectAt(objectAt(tree, 'streamSettings', 'streamSettings'), 'finalmask', place);
  if (!Array.isArray(masks['tcp']) || !objectsAt(masks, 'tcp', `${place}.tcp`).some(isFragment)) return;
  refuse(`${place}.tcp: "fragment" beside REALITY ends the engine at the first connection; leave it to clients`);
}

/** Throws CONFIG_REFUSED for a listener that shows metrics without authentication. */
function checkMetrics(tree: JsonObject): void {
  if (textAt(objectAt(tree, 'metrics', 'metrics'), 'listen') === '') return;
  refuse('metrics.listen would show users and traffic to everybody who reaches it; remove it, the node tells both');
}
