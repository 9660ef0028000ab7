import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { scratchFolder } from '@rampart/testing';
import { EmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { copyCluster } from './copy-cluster.js';

/** A PostgreSQL for one test: empty, or with all tables. */
export class TestDatabase {
  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly folder: string,
  ) {}

  static async start(content: 'empty' | 'migrated' = 'empty'): Promise<TestDatabase> {
    const folder = await mkdtemp(join(scratchFolder(), 'rampart-database-'));
    if (content === 'migrated') await copyCluster(folder);
    return new TestDatabase(await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined }), folder);
  }

  /** The URL of the role that owns everything in the database. */
  get url(): string {
    return this.server.url;
  }

  /** The URL of a role that owns nothing, with which the service runs. */
  get serviceUrl(): string {
    return this.server.serviceUrl;
  }

  get superuserUrl(): string {
    return this.server.superuserUrl;
  }

  async close(): Promise<void> {
    await this.server.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}
