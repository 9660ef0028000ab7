import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@rampart/program';
import type { Settings } from './settings.js';

/** Ports and address of the first start. Later starts keep them, whatever the settings say. */
export type Fixed = Pick<Settings, 'nodePort' | 'vlessPort' | 'shadowsocksPort'> & {
  /** The address that the hosts contain. */
  readonly address: string;
};

/** The state of the quick start between starts, stored in a file that only its owner can read. */
export interface State {
  readonly nodeApiKey: string;
  /** The first admin's password; removed once it was printed. */
  readonly adminPassword?: string;
  /** Set when the set-up begins. */
  readonly fixed?: Fixed;
  /** Path of the first user's subscription; set when the set-up is complete. */
  readonly subscriptionPath?: string;
}

const file = (dataDir: string) => join(dataDir, 'quick-start.json');

/**
 * Returns the stored state, or a new one with new keys.
 *
 * @throws OperatorError that names the file and RAMPART_DATA_DIR if it cannot be read.
 */
export function loadState(dataDir: string): State {
  try {
    return JSON.parse(readFileSync(file(dataDir), 'utf8')) as State;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') {
      const remedy = 'restore it, or set RAMPART_DATA_DIR to another folder';
      throw new OperatorError(`Cannot read ${file(dataDir)} (${message}): ${remedy}.`, { cause: error });
    }
  }
  const state = { nodeApiKey: secret(), adminPassword: secret() };
  saveState(dataDir, state);
  return state;
}

/** Stores the state. @throws OperatorError that names RAMPART_DATA_DIR if it cannot be written. */
export function saveState(dataDir: string, state: State): void {
  const fresh = `${file(dataDir)}.new`;
  try {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(fresh, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
    renameSync(fresh, file(dataDir));
  } catch (error) {
    const { message } = error as Error;
    const remedy = 'set RAMPART_DATA_DIR to a folder that you may write to';
    throw new OperatorError(`Cannot write ${file(dataDir)} (${message}): ${remedy}.`, { cause: error });
  }
}

const secret = () => randomBytes(18).toString('base64url');
