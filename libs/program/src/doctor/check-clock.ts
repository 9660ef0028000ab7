import { type Check, ok, warning, wrong } from './check.js';

/** Shadowsocks-2022 refuses clients whose clock is off by more than this. */
const WRONG_MS = 30_000;
const WARNING_MS = 5_000;

const ADVICE =
  'Synchronize the clocks of both machines (timedatectl set-ntp true, or chrony): Shadowsocks-2022 refuses clients from 30 ' +
  'seconds of difference on, VMess from 120.';

/**
 * Checks how far another machine's clock is from this one.
 *
 * @param differenceMs its time minus ours; positive when it is ahead.
 * @param uncertaintyMs by how much the measurement can be off, such as half a round trip.
 */
export function checkClock(name: string, differenceMs: number, uncertaintyMs: number): Check {
  const distance = Math.max(0, Math.abs(differenceMs) - uncertaintyMs);
  if (distance < WARNING_MS) return ok(name, `is right within ${seconds(Math.abs(differenceMs) + uncertaintyMs)}`);
  const seen = `is ${seconds(Math.abs(differenceMs))} ${differenceMs > 0 ? 'ahead of' : 'behind'} this machine`;
  return (distance < WRONG_MS ? warning : wrong)(name, seen, ADVICE);
}

function seconds(milliseconds: number): string {
  return milliseconds < 10_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${Math.round(milliseconds / 1_000)} s`;
}
