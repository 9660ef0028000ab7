import { Module } from '@nestjs/common';
import { CertificateWatch } from './certificate-watch.js';
import { CoreReader } from './core-reader.js';
import { InboundCatalogue } from './inbound-catalogue.js';

@Module({ providers: [CertificateWatch, CoreReader, InboundCatalogue], exports: [CoreReader, InboundCatalogue] })
export class CoreStoreModule {}
