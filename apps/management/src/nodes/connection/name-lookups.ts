import { ADDRCONFIG } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { Injectable } from '@nestjs/common';
import { Semaphore } from '../../concurrency/semaphore.js';

const WAIT_MS = 3_000;
/** A name that takes longer is asked for beside other slow names alone. */
const SLOW_MS = 1_000;
const MOST_SLOW = 1_000;

/** IPv4 addresses come first, because where only one of the two protocols works it is IPv4. */
async function askTheSystem(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, order: 'ipv4first', hints: ADDRCONFIG });
  return found.map(({ address }) => address);
}

/**
 * Resolves names that others have chosen. Node.js asks the system for two names at a time, and a name server that is silent
 * holds such a place for ten seconds, so slow names share one of them. A name is asked for once, however many wait for it.
 */
@Injectable()
export class NameLookups {
  private readonly going = new Map<string, Promise<string[]>>();
  private readonly slow = new Set<string>();
  private readonly quickPlace = new Semaphore(1);
  private readonly slowPlace = new Semaphore(1);

  /** @throws Error of the system, or when there is no answer in time */
  async resolve(name: string): Promise<string[]> {
    const going = this.going.get(name) ?? this.begin(name);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${WAIT_MS} ms`)), WAIT_MS);
    });
    return Promise.race([going, late]).finally(() => clearTimeout(timer));
  }

  protected lookUp(name: string): Promise<string[]> {
    return askTheSystem(name);
  }

  private begin(name: string): Promise<string[]> {
    const answer = new Promise<string[]>((resolve, reject) => {
      const ask = () => {
        const found = this.lookUp(name);
        found.then(resolve, reject);
        return found.then(
          () => undefined,
          () => undefined,
        );
      };
      if (this.slow.has(name)) void this.slowPlace.run(() => this.askSlowly(name, ask));
      else void this.quickPlace.run(() => this.askQuickly(name, ask));
    });
    this.going.set(name, answer);
    const forget = () => void this.going.delete(name);
    answer.then(forget, forget);
    return answer;
  }

  /** Ends with the answer, or when the name is found to be slow: then it takes the place of these. */
  private async askQuickly(name: string, ask: () => Promise<void>): Promise<void> {
    const answered = ask();
    if (await this.isQuick(answered)) return;
    if (this.slow.size >= MOST_SLOW) this.slow.clear();
    this.slow.add(name);
    void this.slowPlace.run(() => answered);
  }

  private async askSlowly(name: string, ask: () => Promise<void>): Promise<void> {
    const answered = ask();
    if (await this.isQuick(answered)) this.slow.delete(name);
    else await answered;
  }

  private async isQuick(answered: Promise<void>): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), SLOW_MS);
    });
    return Promise.race([answered.then(() => true), late]).finally(() => clearTimeout(timer));
  }
}
