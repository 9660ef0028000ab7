import type { OfferedInbound } from '../offer/offered-inbound.js';
import type { Inbound } from '../read/inbound.js';
import { nameInbounds } from './name-inbounds.js';
import type { CoreConfigWarning } from './warning.js';

interface Offer {
  readonly inbound: Inbound;
  readonly offered: OfferedInbound;
}

/**
 * Warns of Shadowsocks with the old methods, whose packets do not say whose they are: the engine tries all users of the
 * inbound. With a method of 2022 it looks the user up.
 */
export function trialWarnings(offers: readonly Offer[]): CoreConfigWarning[] {
  const tried = offers.flatMap(({ inbound, offered }) =>
    offered.protocol === 'shadowsocks' && !offered.is2022 ? [inbound] : [],
  );
  const hasUdp = ({ transports }: Inbound) => transports.includes('udp');
  return [
    ...trialWarning(
      tried.filter(hasUdp),
      'stop nodes without a credential, by some packets in a second whose source can be forged, because the engine tries all users of the inbound for each packet and connection',
      ', or at least network "tcp"',
    ),
    ...trialWarning(
      tried.filter((inbound) => !hasUdp(inbound)),
      'keep nodes busy without a credential, by some hundred connections in a second, because the engine tries all users of the inbound for each',
      '',
    ),
  ];
}

function trialWarning(inbounds: readonly Inbound[], deed: string, also: string): CoreConfigWarning[] {
  const [first] = inbounds;
  if (first === undefined) return [];
  const message = `whoever reaches ${nameInbounds(inbounds)} can ${deed}: use a 2022 method with network "tcp"${also}, and limit new connections in the firewall`;
  return [{ path: `${first.path}.settings`, code: 'shadowsocks_trial', message }];
}
