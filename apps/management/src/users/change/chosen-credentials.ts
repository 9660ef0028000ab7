import { Injectable } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import { LoginThrottle } from '../../admins/passwords/login-throttle.js';
import { KeyedMutex } from '../../concurrency/keyed-mutex.js';
import { ManagementError } from '../../errors/management-error.js';
import { toManagementError } from '../../errors/to-management-error.js';
import type { ProxySettingsInput } from '../view/proxy-settings.dto.js';

/** More than programs send at a time; each one is held in memory. */
const MOST_WAITING = 100;

/**
 * Saves of credentials that an admin has chosen. A refusal because another user has one tells that it works, so an admin who
 * sees those of own users only gets few of them: afterwards no choice is tried any more for a while, so that none tells.
 */
@Injectable()
export class ChosenCredentials {
  /** One at a time, so that parallel ones pass no limit. */
  private readonly saves = new KeyedMutex<number>({
    waiting: MOST_WAITING,
    refusal: () => new ManagementError('TOO_MANY_CHANGES'),
  });

  constructor(private readonly throttle: LoginThrottle) {}

  /**
   * @param isNew whether what is given differs from what is stored; asked where no choice is tried any more
   * @throws ManagementError CREDENTIALS_THROTTLED
   */
  async save<T>(
    { id, isSudo }: Actor,
    given: ProxySettingsInput | null | undefined,
    isNew: () => Promise<boolean>,
    save: () => Promise<T>,
  ): Promise<T> {
    if (isSudo || id === null || !given || !hasChoice(given)) return save();
    return this.saves.run(id, async () => {
      const seconds = await this.throttle.secondsToWaitForClash(id);
      if (seconds > 0 && (await isNew()))
        throw new ManagementError('CREDENTIALS_THROTTLED', undefined, { 'retry-after': String(seconds) });
      try {
        return await save();
      } catch (error) {
        if (toManagementError(error, 0).code === 'CREDENTIAL_EXISTS') await this.throttle.countClash(id);
        throw error;
      }
    });
  }
}

const hasChoice = ({ vless, vmess, trojan, shadowsocks }: ProxySettingsInput): boolean =>
  [vless?.id, vmess?.id, trojan?.password, shadowsocks?.password].some((one) => one !== undefined && one !== null);
