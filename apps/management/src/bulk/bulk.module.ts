import { Global, Module } from '@nestjs/common';
import { BulkOperations } from './bulk-operations.service.js';

/** Provides batched work on many users to every feature. */
@Global()
@Module({ providers: [BulkOperations], exports: [BulkOperations] })
export class BulkModule {}
