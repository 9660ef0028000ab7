import { type ExtraSettings, SHADOWSOCKS_METHODS, TEMPLATE_FLOWS } from '@rampart/domain';

/** Reads the extra settings of a template from their column; damaged ones count as not set. */
export function storedExtraSettings(stored: unknown): ExtraSettings | null {
  const { flow, method } = Object(stored);
  const known = TEMPLATE_FLOWS.find((name) => name === flow);
  if (known === undefined) return null;
  if (method === null) return { flow: known, method };
  const knownMethod = SHADOWSOCKS_METHODS.find((name) => name === method);
  return knownMethod ? { flow: known, method: knownMethod } : null;
}
