import { networkInterfaces } from 'node:os';
import type { ServerAddresses } from '@rampart/domain';
import { publicAddresses } from '@rampart/program';
import type { SubscriptionSettings } from './subscription-settings.dto.js';

const OWN = publicAddresses(networkInterfaces());

/** The addresses that hosts and names can refer to: those of the settings, else the public ones of this machine. */
export const serverAddresses = ({ server_ip, server_ipv6 }: SubscriptionSettings): ServerAddresses => ({
  ...OWN,
  ...(server_ip && { ipv4: server_ip }),
  ...(server_ipv6 && { ipv6: server_ipv6 }),
});
