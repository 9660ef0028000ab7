import { setTimeout } from 'node:timers/promises';
import { ALLOW_PRIVATE, type EngineClient, eventually, type LocalWeb } from '@rampart/testing';

/** A configuration that differs from others by its number only. */
export const config = (inbounds: object[], number: number) => ({
  inbounds,
  outbounds: [{ tag: `direct-${number}`, protocol: 'freedom', settings: ALLOW_PRIVATE }],
});
export const vless = (tag: string, listen: object, streamSettings: object = {}) => ({
  ...{ tag, listen: '127.0.0.1', protocol: 'vless', settings: { decryption: 'none' }, streamSettings },
  ...listen,
});

/** Fetches a page repeatedly with some concurrency, and counts successes and problems. */
export class FetchLoad {
  fetched = 0;
  private readonly problems: string[] = [];
  private over = false;
  private readonly workers: Promise<void>[];

  constructor(client: EngineClient, web: LocalWeb, atATime: number, patienceMs = 1500) {
    this.workers = Array.from({ length: atATime }, async () => {
      while (!this.over) {
        const problem = await client.fetch(web.url, patienceMs).then(
          (page) => (page === web.page ? undefined : `another page: ${page}`),
          (error: unknown) => String(error),
        );
        if (problem === undefined) this.fetched += 1;
        else this.problems.push(problem);
        await setTimeout(10);
      }
    });
  }

  async waitForFetches(count: number): Promise<void> {
    const wanted = this.fetched + count;
    await eventually(`${wanted} fetches`, (saw) => saw(this.fetched) >= wanted);
  }

  async end(): Promise<readonly string[]> {
    this.over = true;
    await Promise.all(this.workers);
    return this.problems;
  }
}
