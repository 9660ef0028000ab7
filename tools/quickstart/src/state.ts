import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the quick start remembers between starts, in a file that only its owner can read. */
export interface State {
  readonly nodeApiKey: string;
  /** The first admin's password; forgotten once it was printed. */
  readonly adminPassword?: string;
  /** Path of the first user's subscription, known once everything is set up. */
  readonly subscriptionPath?: string;
  /** Ports that the core's inbounds were created with. */
  readonly inboundPorts?: readonly number[];
}

const file = (dataDir: string) => join(dataDir, 'quick-start.json');

/** The remembered state, or a fresh one with keys of its own. */
export function loadState(dataDir: string): State {
  try {
    return JSON.parse(readFileSync(file(dataDir), 'utf8')) as State;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const state = { nodeApiKey: secret(), adminPassword: secret() };
  saveState(dataDir, state);
  return state;
}

export function saveState(dataDir: string, state: State): void {
  mkdirSync(dataDir, { recursive: true });
  const fresh = `${file(dataDir)}.new`;
  writeFileSync(fresh, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file(dataDir));
}

const secret = () => randomBytes(18).toString('base64url');
