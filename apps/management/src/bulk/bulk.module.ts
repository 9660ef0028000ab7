import { Global, Module } from '@nestjs/common';
import { BulkOperations } from './bulk-operations.service.js';

/** Work on many users, for every feature that has some. */
@Global()
@Module({ providers: [BulkOperations], exports: [BulkOperations] })
export class BulkModule {}
