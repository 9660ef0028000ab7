import type { OwnAddress } from './own-address.js';
import { qrCode } from './qr-code.js';

export interface Running {
  readonly dashboardUrl: string;
  readonly apiUrl: string;
  readonly subscriptionUrl: string;
  /** The present address of this machine. */
  readonly address: OwnAddress;
  readonly hostAddress: string;
  /** Login of the first admin, shown only once. */
  readonly login?: { readonly username: string; readonly password: string };
}

/** The text that the operator gets when everything runs. */
export async function summary(running: Running, colours: boolean): Promise<string> {
  const { dashboardUrl, apiUrl, subscriptionUrl, address, hostAddress, login } = running;
  return [
    '',
    'Rampart is running.',
    '',
    ...(login === undefined
      ? ['Login         as at the first start']
      : [`Login         ${login.username}`, `Password      ${login.password}   (shown once: write it down)`]),
    `Dashboard     ${dashboardUrl}`,
    `API           ${apiUrl}`,
    `Address       ${address.address} (${address.origin})`,
    ...(hostAddress === address.address
      ? []
      : [`              The hosts send clients to ${hostAddress}, as set up at the first start.`]),
    `Subscription  ${subscriptionUrl}`,
    '',
    await qrCode(subscriptionUrl, colours),
    'Ctrl-C ends it; the data stays.',
    '',
  ].join('\n');
}
