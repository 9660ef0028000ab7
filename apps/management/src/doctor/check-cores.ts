import { Injectable } from '@nestjs/common';
import { CoreConfigError, isJsonObject } from '@rampart/core-config';
import { type Check, checkCertificate, ok, wrong } from '@rampart/program';
import { DataSource } from 'typeorm';
import type { Core } from '../core-store/core.entity.js';
import { CoreRepository } from '../core-store/core.repository.js';
import { CoreReader } from '../core-store/core-reader.js';

/** Checks that nodes can be started with every core, and the certificates in it. */
@Injectable()
export class CoreChecks {
  constructor(
    private readonly database: DataSource,
    private readonly cores: CoreRepository,
    private readonly reader: CoreReader,
  ) {}

  async run(): Promise<Check[]> {
    const cores = await this.cores.findCores(this.database.manager);
    return cores.flatMap((core) => this.check(core));
  }

  private check(core: Core): Check[] {
    const name = `core ${core.name}`;
    try {
      const { config, leftOut } = this.reader.readEngineConfig(core);
      const left = leftOut.map(({ tag, reason }) =>
        wrong(`${name}: ${tag}`, `is not sent to nodes: ${reason}`, 'Correct the inbound in the core.'),
      );
      return [...(left.length > 0 ? left : [ok(name, 'can be sent to nodes')]), ...certificatesOf(name, config)];
    } catch (error) {
      if (!(error instanceof CoreConfigError)) throw error;
      return [
        wrong(name, error.message, 'Correct the core, or the certificate files that it names in RAMPART_CERTS_DIR.'),
      ];
    }
  }
}

/** A row for each certificate of an inbound; what cannot be read as one is left to the engine's own check. */
function certificatesOf(name: string, config: object): Check[] {
  return listOf(config, 'inbounds').flatMap((inbound) => {
    const tls = memberOf(memberOf(inbound, 'streamSettings'), 'tlsSettings');
    return listOf(tls, 'certificates').flatMap((certificate) => {
      const pem = listOf(certificate, 'certificate').join('\n');
      const row = `${name}: certificate of ${String(memberOf(inbound, 'tag'))}`;
      try {
        return [checkCertificate(row, pem, new Date(), 'Renew it: clients refuse an ended certificate.')];
      } catch {
        return [];
      }
    });
  });
}

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) ? list : [];
}
