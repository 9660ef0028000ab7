import { Injectable } from '@nestjs/common';
import {
  type CoreConfig,
  CoreConfigError,
  type CoreConfigOptions,
  type EngineConfig,
  engineConfig,
  nodeTag,
  type Protocol,
  parseCoreConfig,
  realityTags,
} from '@rampart/core-config';
import { CertificateDirectory } from './certificate-directory.js';
import type { Core } from './core.entity.js';

const UNOPENED =
  'the configuration cannot be decrypted, because the at-rest key that sealed it is missing: give the key back, or save ' +
  'the configuration anew';

/** Reads core configurations, with the certificate files of this machine. */
@Injectable()
export class CoreReader {
  constructor(private readonly certificates: CertificateDirectory) {}

  /** Reads a core that is to be saved. @throws CoreConfigError */
  readCore(core: CoreSource, engineVersions: readonly string[] = []): CoreConfig {
    return parseCoreConfig(core.config, this.optionsOf(core, engineVersions));
  }

  /** Reads a core that was accepted when it was saved: a newer rule removes only the inbound. @throws CoreConfigError */
  readStoredCore(core: CoreSource, engineVersions: readonly string[] = []): CoreConfig {
    if (core.config === undefined) throw new CoreConfigError(UNOPENED, '');
    return parseCoreConfig(core.config, { ...this.optionsOf(core, engineVersions), isStored: true });
  }

  /** The configuration that nodes of this core are started with. @throws CoreConfigError */
  readEngineConfig(core: CoreSource): NodeConfig {
    const read = this.readStoredCore(core);
    const sent = engineConfig(read, this.certificates.readCertificate);
    return { ...sent, protocols: protocolsOf(read, sent), realityTags: realityTags(read.inbounds) };
  }

  private optionsOf(
    { excludeInboundTags, fallbacksInboundTags }: CoreSource,
    engineVersions: readonly string[],
  ): CoreConfigOptions {
    return {
      excludeTags: excludeInboundTags,
      fallbackTags: fallbacksInboundTags,
      readCertificate: this.certificates.readCertificate,
      engineVersions,
    };
  }
}

/** The inbounds that are left out have no users: nodes never hear of them. */
function protocolsOf({ inbounds }: CoreConfig, { leftOut }: EngineConfig): ReadonlyMap<string, Protocol> {
  const protocols = new Map(inbounds.map(({ tag, protocol }) => [nodeTag(tag), protocol]));
  for (const { tag } of leftOut) protocols.delete(tag);
  return protocols;
}

export interface NodeConfig extends EngineConfig {
  /** The protocols of the inbounds whose users management sends, by the tags that nodes know. */
  readonly protocols: ReadonlyMap<string, Protocol>;
  /** Tags of REALITY inbounds, of whose clients newer engines demand a key share that not every client sends. */
  readonly realityTags: readonly string[];
}

/** A configuration with what concerns it; it is undefined where it does not open. */
export type CoreSource = Pick<Core, 'excludeInboundTags' | 'fallbacksInboundTags' | 'privateNetworks'> & {
  config: unknown;
};
