import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { DataSource } from 'typeorm';
import { raiseConfigVersion } from '../database/config-version.js';
import { InboundCatalogue } from './inbound-catalogue.js';
import { RenewalDetector } from './renewal-detector.js';

const INTERVAL_MS = 30_000;

/**
 * Looks whether certificate files were renewed under the cores of which subscriptions were compiled: names and pins in
 * subscriptions follow. The workers of nodes look for themselves, at what each node was started with.
 */
@Injectable()
export class CertificateWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Cores');
  private readonly renewal = new RenewalDetector();
  private timer?: NodeJS.Timeout;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.looking = this.checkCertificates().catch(({ message }: Error) => this.logger.warn(message));
    }, INTERVAL_MS);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  async checkCertificates(): Promise<void> {
    const used = await this.catalogue.inbounds();
    // A core that cannot be read now keeps what was read of it.
    const now = await this.catalogue.readInbounds(this.database.manager, () => undefined);
    const usedStill = [...used].filter(([tag]) => now.has(tag));
    if (!this.renewal.isRenewed(textOf(usedStill), textOf([...now]))) return;
    await this.database.transaction(raiseConfigVersion);
    this.logger.log('certificate files of cores were renewed: subscriptions follow');
  }
}

const textOf = (inbounds: readonly (readonly [string, OfferedInbound])[]): string =>
  JSON.stringify([...inbounds].sort(([one], [other]) => (one < other ? -1 : 1)));
