import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import type { OfferedInbound } from '@rampart/core-config';
import { DataSource } from 'typeorm';
import { raiseConfigVersion } from '../database/config-version.js';
import { CertificateTiming } from './certificate-timing.js';
import { InboundCatalogue } from './inbound-catalogue.js';
import { RenewalDetector } from './renewal-detector.js';

/**
 * Checks whether certificate files of cores were replaced, and has subscriptions compiled again, whose server names and
 * pins depend on them. The workers of nodes make their own check against what each node was started with.
 */
@Injectable()
export class CertificateWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Cores');
  private readonly renewals = new RenewalDetector();
  private timer?: NodeJS.Timeout;
  private checking: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: DataSource,
    private readonly catalogue: InboundCatalogue,
    private readonly timing: CertificateTiming,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      // One after the other: a check beside another one would find the same renewal again.
      this.checking = this.checking
        .then(() => this.checkCertificates())
        .catch(({ message }: Error) => this.logger.warn(message));
    }, this.timing.checkMs);
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  async checkCertificates(): Promise<void> {
    const used = await this.catalogue.inbounds();
    // A core that cannot be read now keeps the inbounds that were read before.
    const now = await this.catalogue.readInbounds(this.database.manager, () => undefined);
    const usedStill = [...used].filter(([tag]) => now.has(tag));
    if (!this.renewals.isRenewed(textOf(usedStill), textOf([...now]))) return;
    await this.database.transaction(raiseConfigVersion);
    this.logger.log('certificate files of cores were renewed: subscriptions are compiled again');
  }
}

const textOf = (inbounds: readonly (readonly [string, OfferedInbound])[]): string =>
  JSON.stringify([...inbounds].sort(([one], [other]) => (one < other ? -1 : 1)));
