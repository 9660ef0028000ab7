import { Module } from '@nestjs/common';
import { CertificateWatch } from './certificate-watch.js';
import { CoreController } from './core.controller.js';
import { CoreService } from './core.service.js';
import { CoreReader } from './core-reader.js';
import { InboundCatalogue } from './inbound-catalogue.js';

@Module({
  controllers: [CoreController],
  providers: [CertificateWatch, CoreReader, CoreService, InboundCatalogue],
  exports: [CoreReader, CoreService, InboundCatalogue],
})
export class CoreModule {}
