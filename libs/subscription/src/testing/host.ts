import type { Host } from '../host.js';

/** A host for the inbound `in` that sets nothing but what it must. */
export function host(change: Partial<Host> = {}): Host {
  return {
    id: 1,
    remark: 'name',
    address: ['a.example'],
    inboundTag: 'in',
    port: null,
    sni: [],
    host: [],
    path: null,
    security: 'inbound_default',
    alpn: [],
    fingerprint: 'none',
    allowInsecure: null,
    echConfigList: null,
    httpHeaders: null,
    randomUserAgent: false,
    transportSettings: null,
    muxSettings: null,
    fragmentSettings: null,
    noiseSettings: null,
    useSniAsHost: false,
    isDisabled: false,
    status: [],
    priority: 0,
    ...change,
  };
}
