import { isJsonObject } from '@rampart/core-config';
import type { Core } from '../core-store/core.entity.js';
import { withVersion } from '../http/version.js';
import type { CoreView } from './core.dto.js';

/** A core as the API shows it. */
export const coreView = (core: Core): CoreView => {
  const edited = {
    name: core.name,
    // A damaged configuration that is no object cannot be shown; the warnings of the core report it.
    config: isJsonObject(core.config) ? core.config : {},
    exclude_inbound_tags: core.excludeInboundTags,
    fallbacks_inbound_tags: core.fallbacksInboundTags,
    private_networks: core.privateNetworks,
  };
  return withVersion({ ...edited, id: core.id, created_at: core.createdAt.toISOString() }, edited);
};
