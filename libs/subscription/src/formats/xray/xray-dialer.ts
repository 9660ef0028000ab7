import type { RangeText, XrayFragmentSettings, XrayNoise } from '../../model/host-settings.js';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';

const DIALER = 'dialer';

/** The outbound through which the proxy connects in pieces and noise, and how the proxy names it. */
export interface XrayDialer {
  readonly outbounds: readonly object[];
  readonly sockopt: object;
}

/** None where the host sets neither. */
export function xrayDialer({ fragment, noises }: ResolvedProxy): XrayDialer {
  const settings = {
    ...(fragment.xray && { fragment: fragmentSettings(fragment.xray) }),
    ...(noises.length > 0 && { noises: noises.map(noiseSettings) }),
  };
  if (Object.keys(settings).length === 0) return { outbounds: [], sockopt: {} };
  return {
    outbounds: [{ tag: DIALER, protocol: 'freedom', settings }],
    sockopt: { sockopt: { dialerProxy: DIALER } },
  };
}

/** The engine refuses a fragment of which anything is missing. */
export function fragmentSettings({ packets, length, interval }: XrayFragmentSettings) {
  return {
    packets: packets ?? 'tlshello',
    length: rangeText(length ?? '100-200'),
    interval: rangeText(interval ?? '10-20'),
  };
}

function noiseSettings({ type, packet, delay, apply_to }: XrayNoise): object {
  return { type, packet, delay: rangeText(delay ?? '10-16'), ...(apply_to && { applyTo: apply_to }) };
}

const rangeText = (range: RangeText): string => String(range);
