import { lookup } from 'node:dns/promises';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ClientEngine, type EngineProgram } from './engine/client-engine.js';
import { type Fetched, fetchThrough } from './engine/fetch-through.js';
import { clientConfig } from './outbounds/client-config.js';
import type { AddressRule } from './outbounds/public-address.js';
import { OutboundError, type ProbeOutbounds, readOutbounds } from './outbounds/read-outbounds.js';
import { NOT_PUBLIC, type ProbeRequest, type ProbeResult, type ProbeStage } from './probe-result.js';

export interface ProbeMachine extends EngineProgram {
  /** A directory that only the engine and its caller can enter; the engine's socket is made in it. */
  readonly directory: string;
  /** Which IP addresses the client may connect to. */
  readonly isAllowed: AddressRule;
  /** Resolves a name to its IP addresses. Default: the machine's resolver. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  /** Ends the probe with this signal's reason. */
  readonly signal?: AbortSignal;
}

/** How long the words of the client may take to come after its connection has ended. */
const WORDS_MS = 500;

const NOTHING_MEASURED = {
  ...{ address: '', handshakeMs: 0, firstByteMs: 0 },
  ...{ bytes: 0, bytesPerSecond: 0, httpStatus: 0 },
};

/**
 * Fetches a URL through the outbounds of a client, in a client engine of its own. Names are resolved once, and the client
 * gets the addresses that were checked: it looks up nothing by itself. Whatever goes wrong is a result; it rejects only with
 * the reason of the signal.
 */
export async function runProbe(request: ProbeRequest, machine: ProbeMachine): Promise<ProbeResult> {
  const deadline = AbortSignal.timeout(request.timeoutMs);
  const signal = machine.signal ? AbortSignal.any([deadline, machine.signal]) : deadline;
  let outbounds: ProbeOutbounds;
  try {
    outbounds = readOutbounds(request.outbounds);
  } catch (error) {
    if (error instanceof OutboundError) return failure('settings', error.message);
    throw error;
  }
  const pinned = await pinAddresses(outbounds, machine, signal);
  const result = 'stage' in pinned ? pinned : await runEngine(pinned, request, machine, signal);
  machine.signal?.throwIfAborted();
  return { ...result, error: withoutSecrets(result.error, outbounds.secrets) };
}

const failure = (stage: ProbeStage, error: string): ProbeResult => ({ ...NOTHING_MEASURED, stage, error });

interface Pinned {
  readonly outbounds: readonly object[];
  /** The address of the proxy's server. */
  readonly address: string;
}

async function pinAddresses(
  outbounds: ProbeOutbounds,
  { isAllowed, resolve = resolveName }: ProbeMachine,
  signal: AbortSignal,
): Promise<Pinned | ProbeResult> {
  const found = new Map<string, string>();
  for (const name of outbounds.addresses) {
    const { value: addresses, error } = await settled(orAborted(resolve(name), signal));
    if (addresses === undefined) return failure('address', `${name} was not resolved: ${error.message}`);
    const [address] = addresses;
    if (address === undefined) return failure('address', `${name} has no address`);
    // All of them are checked: which one a client takes is not known.
    const refused = addresses.find((other) => !isAllowed(other));
    if (refused !== undefined) {
      const said = refused === name ? name : `${name} (${refused})`;
      return failure('address', `${said} ${NOT_PUBLIC}`);
    }
    found.set(name, address);
  }
  const [first = ''] = outbounds.addresses;
  return { outbounds: outbounds.pin((name) => found.get(name) ?? name), address: found.get(first) ?? '' };
}

async function runEngine(
  { outbounds, address }: Pinned,
  { url, maxBytes }: ProbeRequest,
  machine: ProbeMachine,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const socketPath = join(machine.directory, 'probe.sock');
  const engine = new ClientEngine(machine, clientConfig(outbounds, socketPath));
  try {
    if (!(await engine.listens(socketPath, signal))) return { ...failure('settings', lastWords(engine)), address };
    const begin = performance.now();
    const { value: fetched, error: failed } = await settled(
      fetchThrough(socketPath, { url: new URL(url), maxBytes, signal }),
    );
    const connected = await engine.findLine(/ tunneling request to /, 0);
    const handshakeMs = connected ? Math.max(1, Math.round(connected.atMs - begin)) : 0;
    if (fetched !== undefined) return { ...finished(fetched), address, handshakeMs };
    const stage = connected ? 'answer' : 'handshake';
    const words = signal.aborted ? undefined : await engine.findLine(OUTBOUND_FAILED, WORDS_MS);
    const error = words ? withoutPrefix(words.text) : unexplained(engine, failed, signal);
    return { ...failure(stage, error), address, handshakeMs };
  } catch (error) {
    if (signal.aborted) return { ...failure('handshake', 'the client did not start in time'), address };
    throw error;
  } finally {
    await engine.end();
    await rm(socketPath, { force: true });
  }
}

const OUTBOUND_FAILED = /failed to process outbound traffic > /;

function finished({ status, firstByteMs, bytes, bytesPerSecond, brokenOff }: Fetched) {
  const figures = { firstByteMs: Math.max(1, Math.round(firstByteMs)), bytes, bytesPerSecond, httpStatus: status };
  return { ...figures, stage: brokenOff ? ('download' as const) : ('done' as const), error: brokenOff };
}

/** What the client last said about its connections, where it did not say that one failed. */
function unexplained(engine: ClientEngine, error: Error, signal: AbortSignal): string {
  if (engine.endedBecause) return engine.endedBecause;
  const about = engine.lines.findLast(({ text }) => /dialing |creating connection |tunneling /.test(text));
  const said = about ? withoutPrefix(about.text) : error.message;
  return signal.aborted ? `no answer in time; the client last said: ${said}` : said;
}

/** The last lines of an engine that did not start. */
const lastWords = (engine: ClientEngine): string =>
  engine.endedBecause ||
  engine.lines
    .slice(-3)
    .map(({ text }) => withoutPrefix(text))
    .join(' ') ||
  'the client did not start';

/** Cuts the time, the level and the number of the connection off a line. */
const withoutPrefix = (line: string): string =>
  line
    .replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(\.\d+)? /, '')
    .replace(/^\[\w+\] /, '')
    .replace(/^\[\d+\] /, '')
    .replace(/^.*failed to process outbound traffic > /, '')
    .slice(0, 2_000);

const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

type Settled<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: Error };

const settled = <T>(work: Promise<T>): Promise<Settled<T>> =>
  work.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );

async function resolveName(name: string): Promise<string[]> {
  return (await lookup(name, { all: true, order: 'ipv4first' })).map(({ address }) => address);
}

function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new Error('it took too long'));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
