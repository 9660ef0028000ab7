import type { RangeText, XrayFragmentSettings, XrayNoise } from '../../model/host-settings.js';
import type { ResolvedProxy } from '../../model/resolved-proxy.js';

const DIALER = 'dialer';

/** The outbound that fragments connections and adds noise, and the setting by which the proxy refers to it. */
export interface XrayDialer {
  readonly outbounds: readonly object[];
  readonly sockopt: object;
}

/** The dialer of a proxy; it has no outbound when the host sets neither fragment nor noise. */
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

/** The fragment settings with defaults: the engine refuses incomplete ones. */
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
