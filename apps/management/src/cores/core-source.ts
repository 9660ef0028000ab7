import { type CoreConfig, networkText } from '@rampart/core-config';
import type { CoreSource } from '../core-store/core-reader.js';
import { clientWarnings } from './client-warnings.js';
import type { CheckedCoreView, CoreCreate } from './core.dto.js';
import { networkWarnings } from './network-warnings.js';

/** The configuration of a request with its lists of tags; absent lists are empty. */
export const sourceOf = (request: CoreCreate): CoreSource => ({
  config: request.config,
  excludeInboundTags: request.exclude_inbound_tags ?? [],
  fallbacksInboundTags: request.fallbacks_inbound_tags ?? [],
  privateNetworks: [...new Set((request.private_networks ?? []).flatMap((text) => networkText(text) ?? []))],
});

/** What nodes are started with, as a text to be compared. A name and a list of offered fallbacks do not concern them. */
export const startedWith = ({ config, excludeInboundTags, privateNetworks }: CoreSource): string =>
  JSON.stringify([config, excludeInboundTags, privateNetworks]);

/** The warnings of a save. */
export const warningsOf = (core: CoreConfig, { privateNetworks }: CoreSource): CheckedCoreView['warnings'] => [
  ...core.warnings,
  ...clientWarnings(core),
  ...networkWarnings(privateNetworks),
];
