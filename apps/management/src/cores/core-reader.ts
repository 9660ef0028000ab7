import { Injectable } from '@nestjs/common';
import { type CoreConfig, type EngineConfig, engineConfig, parseCoreConfig } from '@rampart/core-config';
import { CertificateDirectory } from './certificate-directory.js';
import type { Core } from './core.entity.js';

/** Reads core configurations with what this machine has: its certificate files. */
@Injectable()
export class CoreReader {
  constructor(private readonly certificates: CertificateDirectory) {}

  /** @throws CoreConfigError */
  read(
    { config, excludeInboundTags, fallbacksInboundTags }: CoreSource,
    engineVersions: readonly string[] = [],
  ): CoreConfig {
    return parseCoreConfig(config, {
      excludeTags: excludeInboundTags,
      fallbackTags: fallbacksInboundTags,
      readCertificate: this.certificates.read,
      engineVersions,
    });
  }

  /** What a node that uses this core is to run. @throws CoreConfigError */
  engineConfig(core: CoreSource): EngineConfig {
    return engineConfig(this.read(core), this.certificates.read);
  }
}

export type CoreSource = Pick<Core, 'excludeInboundTags' | 'fallbacksInboundTags'> & { config: unknown };
