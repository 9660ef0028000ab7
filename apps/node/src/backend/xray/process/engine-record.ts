import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackendConfig } from '../../backend.js';
import type { ProcessIdentity } from './process-identity.js';

/** What the next node must know of an engine to take it over. It is in the run directory, where only the node reads. */
export interface EngineRecord {
  readonly identity: ProcessIdentity;
  /** Id of the run, under which its traffic is counted. */
  readonly run: string;
  readonly api: { readonly tag: string; readonly inboundTag: string };
  readonly program: { readonly path: string; readonly version: string };
  /** Digest of everything that the engine was started with, except for the users. */
  readonly digest: string;
  readonly config: BackendConfig;
  /** Names of the faults whose features were left out of the configuration. */
  readonly leftOut?: readonly string[];
  /** When it was started, in ms since 1970. */
  readonly startedAt: number;
  /** Since when it only has its connections left, in ms since 1970. */
  readonly drainingSince?: number;
}

const FORMAT = 1;
const recordFile = (directory: string): string => join(directory, 'record');

/** Writes the record as a whole. Fails when the disk does. */
export async function writeEngineRecord(directory: string, record: EngineRecord): Promise<void> {
  const fresh = `${recordFile(directory)}.new`;
  await writeFile(fresh, JSON.stringify({ format: FORMAT, ...record }), { mode: 0o600 });
  await rename(fresh, recordFile(directory));
}

/** The record in a run directory; undefined when there is none. Fails when it is damaged. */
export async function readEngineRecord(directory: string): Promise<EngineRecord | undefined> {
  const text = await readFile(recordFile(directory), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const record: unknown = JSON.parse(text);
  if (!isRecord(record)) throw new Error('the record of the engine has another form');
  return record;
}

function isRecord(value: unknown): value is EngineRecord {
  const isText = (holder: object, ...names: string[]) =>
    names.every((name) => typeof (holder as Record<string, unknown>)[name] === 'string');
  if (!isObject(value) || value['format'] !== FORMAT) return false;
  const { identity, api, program, config, leftOut, startedAt, drainingSince } = value;
  return (
    isText(value, 'run', 'digest') &&
    typeof startedAt === 'number' &&
    (leftOut === undefined || isTexts(leftOut)) &&
    (drainingSince === undefined || typeof drainingSince === 'number') &&
    isObject(identity) &&
    Number.isSafeInteger(identity['pid']) &&
    isText(identity, 'startTime', 'pidNamespace') &&
    isObject(api) &&
    isText(api, 'tag', 'inboundTag') &&
    isObject(program) &&
    isText(program, 'path', 'version') &&
    isObject(config) &&
    isText(config, 'text') &&
    isTexts(config['excludedInbounds']) &&
    (config['allowedNetworks'] === undefined || isTexts(config['allowedNetworks']))
  );
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
