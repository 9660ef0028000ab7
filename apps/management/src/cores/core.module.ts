import { Module } from '@nestjs/common';
import { CertificateWatch } from '../core-store/certificate-watch.js';
import { CoreReader } from '../core-store/core-reader.js';
import { InboundCatalogue } from '../core-store/inbound-catalogue.js';
import { CoreController } from './core.controller.js';
import { CoreService } from './core.service.js';

@Module({
  controllers: [CoreController],
  providers: [CertificateWatch, CoreReader, CoreService, InboundCatalogue],
  exports: [CoreReader, CoreService, InboundCatalogue],
})
export class CoreModule {}
