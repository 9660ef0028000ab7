import { randomUUID } from 'node:crypto';
import { ALLOW_PRIVATE } from '@rampart/testing';
import { environment } from './environment.js';

export interface Inbound extends Record<string, unknown> {
  readonly tag?: unknown;
}
export interface Core {
  readonly id: number;
  readonly name: string;
  readonly config: Record<string, unknown>;
}

export const OUTBOUNDS = [{ tag: 'direct', protocol: 'freedom', settings: ALLOW_PRIVATE }];

/** A REALITY key pair in the engine's encoding; clients get the public key. */
export const REALITY_KEYS = {
  privateKey: 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8',
  publicKey: '7xhH4b_VkliBxGulljcyPOH-bYUA2dl-XAdZAsfhk04',
};

export const realitySettings = {
  target: 'target.example:443',
  serverNames: ['reality.example'],
  privateKey: REALITY_KEYS.privateKey,
  shortIds: ['0123abcd'],
};

/** A VLESS inbound; `rest` replaces its members. */
export const vless = (tag: string, rest: Record<string, unknown> = {}): Inbound => ({
  tag,
  protocol: 'vless',
  port: 443,
  settings: { decryption: 'none' },
  ...rest,
});

export const configOf = (...inbounds: readonly Inbound[]) => ({ inbounds, outbounds: OUTBOUNDS });

/** Creates a core with these inbounds and a unique name. */
export const createCore = (...inbounds: readonly Inbound[]): Promise<Core> =>
  environment.sudo.create('/api/core', { name: `core ${randomUUID()}`, config: configOf(...inbounds) });

export const deleteCore = ({ id }: Core): Promise<void> => environment.sudo.remove(`/api/core/${id}`);
