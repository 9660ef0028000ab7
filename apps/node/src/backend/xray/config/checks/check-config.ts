import { managedInbounds } from '../managed-inbound.js';
import type { NodeConfig } from '../node-config.js';
import { checkCertificates } from './certificates.js';
import { checkFileAccess } from './file-access.js';
import { checkGeoFiles } from './geo-files.js';
import { checkDistinct, checkListen } from './listeners.js';
import { checkMasks } from './masks.js';
import { checkMetrics } from './metrics.js';
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
  checkFileAccess(tree);
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
