import { isJsonObject } from '@rampart/core-config';
import type { Core } from '../core-store/core.entity.js';
import type { CoreView } from './core.dto.js';

/** A core as the API shows it. */
export const coreView = (core: Core): CoreView => ({
  name: core.name,
  // A damaged configuration that is no object cannot be shown; the warnings of the core report it.
  config: isJsonObject(core.config) ? core.config : {},
  exclude_inbound_tags: core.excludeInboundTags,
  fallbacks_inbound_tags: core.fallbacksInboundTags,
  id: core.id,
  created_at: core.createdAt.toISOString(),
});
