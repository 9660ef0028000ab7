import type { CoreConfig } from '@rampart/core-config';
import type { CoreSource } from '../core-store/core-reader.js';
import { clientWarnings } from './client-warnings.js';
import type { CheckedCoreView, CoreCreate } from './core.dto.js';

/** The configuration of a request with its lists of tags; absent lists are empty. */
export const sourceOf = ({ config, exclude_inbound_tags, fallbacks_inbound_tags }: CoreCreate): CoreSource => ({
  config,
  excludeInboundTags: exclude_inbound_tags ?? [],
  fallbacksInboundTags: fallbacks_inbound_tags ?? [],
});

/** What nodes are started with, as a text to be compared. A name and a list of offered fallbacks do not concern them. */
export const startedWith = ({ config, excludeInboundTags }: CoreSource): string =>
  JSON.stringify([config, excludeInboundTags]);

/** The warnings of a save. */
export const warningsOf = (core: CoreConfig): CheckedCoreView['warnings'] => [
  ...core.warnings,
  ...clientWarnings(core),
];
