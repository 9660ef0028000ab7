import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type CoreConfig, CoreConfigError } from '@rampart/core-config';
import { type CommandAnswer, EXIT_CODES, messageOf, OperatorError, textTable } from '@rampart/program';
import { CertificateDirectory } from '../core-store/certificate-directory.js';
import { CoreReader } from '../core-store/core-reader.js';
import { clientWarnings } from '../cores/client-warnings.js';
import { readCommandEnv } from '../env/command-env.js';

export interface CheckOptions {
  exclude?: string[];
  fallbacks?: string[];
}

/** Checks the configuration in a file as management does when it is saved. */
export async function checkCore(file: string, options: CheckOptions): Promise<CommandAnswer> {
  const config = await readInput(file);
  const reader = new CoreReader(new CertificateDirectory(readCommandEnv().certsDir));
  const { exclude = [], fallbacks = [] } = options;
  try {
    return report(
      reader.readCore({ config, excludeInboundTags: exclude, fallbacksInboundTags: fallbacks, privateNetworks: [] }),
    );
  } catch (error) {
    if (!(error instanceof CoreConfigError)) throw error;
    const { message } = error;
    const json = { valid: false, error: message, inbounds: [], warnings: [] };
    return { text: `Not valid: ${message}`, json, exitCode: EXIT_CODES.failed };
  }
}

function report(core: CoreConfig): CommandAnswer {
  const inbounds = core.inbounds.map(({ tag, protocol, network, security, port }) => ({
    tag,
    protocol,
    network,
    security,
    port: port?.original ?? null,
  }));
  const warnings = [...core.warnings, ...clientWarnings(core)];
  const table = textTable(
    ['TAG', 'PROTOCOL', 'NETWORK', 'SECURITY', 'PORT'],
    inbounds.map(({ tag, protocol, network, security, port }) => [tag, protocol, network, security, `${port ?? '-'}`]),
  );
  const lines = warnings.map(({ path, message }) => `warning: ${path}: ${message}`);
  return {
    text: ['Valid. It offers these inbounds:', table, ...lines].join('\n'),
    json: { valid: true, inbounds, warnings },
  };
}

async function readInput(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
