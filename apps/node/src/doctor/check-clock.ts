import { stat } from 'node:fs/promises';
import { type Check, ok, warning, wrong } from '@rampart/program';

const NAME = 'clock';
/** systemd-timesyncd touches this file whenever the clock is synchronized. */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized';
const SET = 'Synchronize it: timedatectl set-ntp true, or chrony.';

/**
 * Checks what this machine knows of its own clock. Whether it agrees with management's, only management's doctor can tell.
 *
 * @param now the time of the clock in ms.
 */
export async function checkSystemClock(now = Date.now()): Promise<Check> {
  const time = new Date(now).toISOString();
  // The program cannot run before it was built.
  const { mtimeMs } = await stat(new URL('../../package.json', import.meta.url));
  if (now < mtimeMs) return wrong(NAME, `${time} is before this program was installed`, SET);
  if (await exists(SYNCHRONIZED)) return ok(NAME, `${time}, synchronized`);
  if (await exists('/run/systemd/system'))
    return warning(NAME, `${time}, and nothing tells that it is synchronized`, SET);
  return ok(NAME, `${time}; the doctor of management compares it with its own`);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
