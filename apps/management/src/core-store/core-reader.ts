import { Injectable } from '@nestjs/common';
import { type CoreConfig, type EngineConfig, engineConfig, parseCoreConfig, realityTags } from '@rampart/core-config';
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
  engineConfig(core: CoreSource): NodeConfig {
    const read = this.read(core);
    return { ...engineConfig(read, this.certificates.read), realityTags: realityTags(read.inbounds) };
  }
}

export interface NodeConfig extends EngineConfig {
  /** Inbounds of which newer engines demand what not every client has. */
  readonly realityTags: readonly string[];
}

export type CoreSource = Pick<Core, 'excludeInboundTags' | 'fallbacksInboundTags'> & { config: unknown };
