import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@rampart/program';
import type { Settings } from './settings.js';

/** What the first start builds upon; later ones keep it, whatever the settings say then. */
export type Fixed = Pick<Settings, 'nodePort' | 'vlessPort' | 'shadowsocksPort'> & {
  /** What the hosts name. */
  readonly address: string;
};

/** What the quick start remembers between starts, in a file that only its owner can read. */
export interface State {
  readonly nodeApiKey: string;
  /** The first admin's password; forgotten once it was printed. */
  readonly adminPassword?: string;
  /** Known once the set-up began. */
  readonly fixed?: Fixed;
  /** Path of the first user's subscription, known once everything is set up. */
  readonly subscriptionPath?: string;
}

const file = (dataDir: string) => join(dataDir, 'quick-start.json');

/**
 * The remembered state, or a fresh one with keys of its own.
 *
 * @throws OperatorError that names the file and RAMPART_DATA_DIR.
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

/** @throws OperatorError that names RAMPART_DATA_DIR. */
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
