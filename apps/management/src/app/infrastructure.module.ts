import { type DynamicModule, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CertificateDirectory } from '../core-store/certificate-directory.js';
import { ManagementEnv } from '../env/management-env.js';
import { publicUrl } from '../http/public-url.js';
import { AdminChangeMutex } from '../http/serialized-per-admin.js';
import { AtRestCipher } from '../keys/at-rest-cipher.js';
import { Keys } from '../keys/keys.js';
import { SubscriptionLink } from '../keys/subscription-link.js';

/** Providers that every feature may use: settings, keys and the database connection. */
@Module({})
export class InfrastructureModule {
  static of(env: ManagementEnv, keys: Keys, database: DataSource): DynamicModule {
    const providers = [
      { provide: ManagementEnv, useValue: env },
      { provide: Keys, useValue: keys },
      { provide: DataSource, useValue: database },
      { provide: AtRestCipher, useValue: new AtRestCipher(keys.atRest, keys.previous.atRest) },
      AdminChangeMutex,
      { provide: CertificateDirectory, useValue: new CertificateDirectory(env.certsDir) },
      {
        provide: SubscriptionLink,
        useValue: new SubscriptionLink(keys.subscription, publicUrl(env), keys.previous.subscription),
      },
    ];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}
