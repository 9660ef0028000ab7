import { Module } from '@nestjs/common';
import { CertificateTiming } from './certificate-timing.js';
import { CertificateWatch } from './certificate-watch.js';
import { CoreRepository } from './core.repository.js';
import { CoreReader } from './core-reader.js';
import { InboundCatalogue } from './inbound-catalogue.js';

@Module({
  providers: [CertificateTiming, CertificateWatch, CoreReader, CoreRepository, InboundCatalogue],
  exports: [CoreReader, CoreRepository, InboundCatalogue],
})
export class CoreStoreModule {}
