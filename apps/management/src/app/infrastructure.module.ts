import { type DynamicModule, Module } from '@nestjs/common';
import { ProgramMetrics } from '@rampart/program';
import { DataSource } from 'typeorm';
import { ChangeFeed } from '../change-events/change-feed.js';
import { CertificateDirectory } from '../core-store/certificate-directory.js';
import { asDatabase } from '../database/database.js';
import { addDatabaseMetrics } from '../database/database-metrics.js';
import { ManagementEnv } from '../env/management-env.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
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
      { provide: ProgramMetrics, useFactory: () => createMetrics(env, database) },
      { provide: AtRestCipher, useValue: new AtRestCipher(keys.atRest, keys.previous.atRest) },
      AdminChangeMutex,
      ChangeFeed,
      { provide: CertificateDirectory, useValue: new CertificateDirectory(env.certsDir) },
      {
        provide: SubscriptionLink,
        useValue: new SubscriptionLink(keys.subscription, publicUrl(env), keys.previous.subscription),
      },
    ];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}

/** The figures of the process are collected only where somebody can read them: that costs a little at all times. */
function createMetrics({ dataDir, metricsPort }: ManagementEnv, database: DataSource): ProgramMetrics {
  const metrics = new ProgramMetrics();
  if (metricsPort !== undefined) metrics.addProcess({ program: 'management', version: MANAGEMENT_VERSION, dataDir });
  addDatabaseMetrics(metrics, asDatabase(database));
  return metrics;
}
