import { join } from 'node:path';
import { type Environment, readSettings, Setting } from '@rampart/program';
import { IsOptional, MinLength } from 'class-validator';

/** The message of settings that must name a file or folder. */
const MUST_BE_PATH = { message: 'must be a path' };

/** Settings that commands need too, whatever the others are. */
export class CommandEnv {
  @Setting({
    name: 'RAMPART_DATA_DIR',
    help: 'folder of the keys, the embedded database and the socket for commands',
    fallback: './data/management',
  })
  @MinLength(1, MUST_BE_PATH)
  readonly dataDir: string;

  @Setting({ name: 'RAMPART_CERTS_DIR', help: 'the only folder from which core configurations may name certificates' })
  @IsOptional()
  @MinLength(1, MUST_BE_PATH)
  readonly certsDir: string | undefined;
}

/** The path of the socket on which commands reach the service that has this data folder. */
export const controlSocketIn = (dataDir: string): string => join(dataDir, 'control.sock');

/** Reads only these settings. @throws SettingsError */
export const readCommandEnv = (source: Environment = process.env): CommandEnv => readSettings(CommandEnv, source);
