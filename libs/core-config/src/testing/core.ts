/** The private key of a known X25519 pair. */
export const PRIVATE_KEY = 'yBaw532IIUNuQWDTncozoBaLJmcd1JZzvsHUgVPxMk8';
export const PUBLIC_KEY = '7xhH4b_VkliBxGulljcyPOH-bYUA2dl-XAdZAsfhk04';

/** Any part of a configuration, as it would come from JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** A configuration with the given inbounds. */
export function core(...inbounds: readonly Json[]): Json {
  return { inbounds, outbounds: [{ tag: 'direct', protocol: 'freedom' }] };
}

/** A VLESS inbound `in` on port 443 with the given changes. */
export function vless(change: Json = {}): Json {
  return { tag: 'in', protocol: 'vless', port: 443, settings: { decryption: 'none' }, ...change };
}

export function reality(change: Json = {}): Json {
  const realitySettings = {
    privateKey: PRIVATE_KEY,
    shortIds: [''],
    serverNames: ['a.example'],
    target: 443,
    ...change,
  };
  return { security: 'reality', realitySettings };
}

export function tls(...certificates: readonly Json[]): Json {
  return { security: 'tls', tlsSettings: { certificates } };
}
