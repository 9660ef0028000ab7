import { setTimeout } from 'node:timers/promises';
import { type EngineClient, eventually, type LocalWeb } from '@rampart/testing';

/** Differs from the next by its number only. */
export const config = (inbounds: object[], number: number) => ({
  inbounds,
  outbounds: [{ tag: `direct-${number}`, protocol: 'freedom' }],
});
export const vless = (tag: string, listen: object, streamSettings: object = {}) => ({
  ...{ tag, listen: '127.0.0.1', protocol: 'vless', settings: { decryption: 'none' }, streamSettings },
  ...listen,
});
/** Fetches over and over, a few at a time; tells how often and how many failed. */
export class Load {
  fetched = 0;
  failed = 0;
  private over = false;
  private readonly workers: Promise<void>[];

  constructor(client: EngineClient, web: LocalWeb, atATime: number) {
    this.workers = Array.from({ length: atATime }, async () => {
      while (!this.over) {
        const page = await client.fetch(web.url, 1500).catch(() => undefined);
        if (page === web.page) this.fetched += 1;
        else this.failed += 1;
        await setTimeout(10);
      }
    });
  }

  async more(count: number): Promise<void> {
    const wanted = this.fetched + count;
    await eventually(`${wanted} fetches`, () => this.fetched >= wanted);
  }

  async end(): Promise<{ failed: number }> {
    this.over = true;
    await Promise.all(this.workers);
    return { failed: this.failed };
  }
}
