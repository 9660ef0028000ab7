import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '@rampart/program';
import type { EngineAccount } from '../../../env/node.settings.js';
import type { Capability } from '../config/capabilities.js';
import { findInPath } from '../executable/locate-engine.js';
import { engineFiles, fileLimiter } from './engine-files.js';
import { parentDeathWrapper } from './parent-death-wrapper.js';

/** Bit numbers of the capabilities that an engine may get. */
const CAPABILITY_BITS: Record<Capability, number> = { net_bind_service: 10, net_admin: 12 };

/** Capabilities that the node needs to run, inspect and end a program under another account. */
const ACCOUNT_CHANGE_CAPABILITIES = { chown: 0, dac_override: 1, kill: 5, setgid: 6, setuid: 7, setpcap: 8 } as const;
const SETPCAP_BIT = ACCOUNT_CHANGE_CAPABILITIES.setpcap;

const TIMEOUT_MS = 5000;
const run = promisify(execFile);

/**
 * What the engine process may do: as little as Linux lets us arrange. Where the node is root the engine has an account
 * of its own; it gains no privileges, has only the capabilities that its configuration needs, can open no more files than
 * memory is there for, and ends with the node.
 */
export class EngineRights {
  private constructor(
    /** The command before the program that grants these capabilities. */
    private readonly wrapperWith: (grantable: readonly Capability[]) => readonly string[],
    /** Capabilities that the node can grant. */
    private readonly held: ReadonlySet<Capability>,
    /** The engine's account; undefined means the node's own. */
    readonly account: EngineAccount | undefined,
    /** Warnings for operators where the engine may do more than it should. */
    readonly warnings: readonly string[],
    private readonly searchPath: string,
  ) {}

  /**
   * @param wanted the account for the engine where the node is root; undefined means the node's own
   * @param files how many files the engine may have open; undefined: as many as memory is there for
   */
  static async detect(searchPath: string, wanted: EngineAccount | undefined, files?: number): Promise<EngineRights> {
    const { limit, warning } = engineFiles(files);
    const limiter = await fileLimiter(limit, searchPath);
    const { wrapperWith, held, account, warnings } = await EngineRights.withoutLimit(searchPath, wanted);
    const unlimited = limiter === undefined ? ['the open files of the engine have no limit: PATH has no sh'] : [];
    return new EngineRights(
      (granted) => [...(limiter ?? []), ...wrapperWith(granted)],
      held,
      account,
      [...warnings, ...(warning === undefined ? unlimited : [warning])],
      searchPath,
    );
  }

  private static async withoutLimit(searchPath: string, wanted: EngineAccount | undefined): Promise<EngineRights> {
    const setpriv = await findInPath('setpriv', searchPath);
    const root = process.getuid?.() === 0;
    if (setpriv === undefined) {
      const warning =
        'the engine runs with all rights of the node, and outlives it when that is killed: PATH has no setpriv';
      const warnings = root ? [`${warning}; install util-linux`] : [];
      return new EngineRights(() => [], new Set(), undefined, warnings, searchPath);
    }
    const bits = await ownCapabilities();
    const has = (bit: number) => (bits & (1n << BigInt(bit))) !== 0n;
    const missing = Object.entries(ACCOUNT_CHANGE_CAPABILITIES).flatMap(([name, bit]) => (has(bit) ? [] : [name]));
    const account = root && wanted !== undefined && missing.length === 0 ? wanted : undefined;
    const held = new Set(
      (Object.keys(CAPABILITY_BITS) as Capability[]).filter((describeAccount) => has(CAPABILITY_BITS[describeAccount])),
    );
    const options = (granted: readonly Capability[]): string[] => {
      const capabilities = ['-all', ...granted.map((name) => `+${name}`)].join(',');
      return [
        ...(account === undefined ? [] : ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups']),
        ...['--inh-caps', capabilities, '--ambient-caps', capabilities],
        ...(has(SETPCAP_BIT) ? ['--bounding-set', capabilities] : []),
        ...['--no-new-privs', '--pdeathsig', 'KILL'],
      ];
    };
    const warnings =
      root && wanted !== undefined && account === undefined
        ? [`the engine runs as root: the node lacks the capabilities ${missing.join(', ')} to give it its own account`]
        : [];
    try {
      await run(setpriv, [...options([...held]), setpriv, '--version'], { timeout: TIMEOUT_MS, env: {} });
      return new EngineRights((granted) => [setpriv, ...options(granted)], held, account, warnings, searchPath);
    } catch (error) {
      const fallback = await parentDeathWrapper(searchPath);
      const warning = `the engine runs with all rights of the node: ${setpriv} does not take them away (${commandErrorText(error)})`;
      return new EngineRights(() => fallback, new Set(), undefined, [warning], searchPath);
    }
  }

  /**
   * The command before the engine's program, which replaces it by `exec`. Capabilities that the node lacks are left
   * out.
   */
  wrapper(needed: readonly Capability[]): readonly string[] {
    return this.wrapperWith(this.granted(needed));
  }

  /** Whether the kernel ends the engine when its parent ends. */
  get endsWithParent(): boolean {
    return this.wrapper([]).includes('--pdeathsig');
  }

  granted(needed: readonly Capability[]): readonly Capability[] {
    return needed.filter((name) => this.held.has(name));
  }

  /** Whether the engine can read, write or search a path; true when that cannot be determined. */
  async canAccess(what: 'read' | 'write' | 'search', path: string): Promise<boolean> {
    if (this.account === undefined) return true;
    const flag = { read: '-r', write: '-w', search: '-x' }[what];
    return this.runAsEngine(['test', flag, path]).then(
      () => true,
      (error: unknown) => !(typeof error === 'object' && error !== null && 'code' in error && error.code === 1),
    );
  }

  /**
   * The output of a command that runs with the engine's rights: the kernel shows the engine's files to its own account.
   */
  async runAsEngine(command: readonly string[], needed: readonly Capability[] = []): Promise<string> {
    const [program = '', ...args] = [...this.wrapper(needed), ...command];
    const env = { PATH: this.searchPath, LC_ALL: 'C' };
    return (await run(program, args, { timeout: TIMEOUT_MS, env, maxBuffer: 64 * 2 ** 20 })).stdout;
  }

  /** The engine's account in messages for operators. */
  get name(): string {
    const { account } = this;
    return account === undefined
      ? "the node's account"
      : `the engine's account (uid ${account.uid}, gid ${account.gid})`;
  }
}

/** The bits of a capability set in /proc/PID/status. */
export function parseCapabilities(status: string, set: 'CapEff' | 'CapPrm'): bigint {
  return BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`);
}

export function capabilityBits(capabilities: readonly Capability[]): bigint {
  return capabilities.reduce((bits, name) => bits | (1n << BigInt(CAPABILITY_BITS[name])), 0n);
}

/** The effective capabilities of the node's process as a bit set; 0 where there is no /proc. */
async function ownCapabilities(): Promise<bigint> {
  return parseCapabilities(await readFile('/proc/self/status', 'utf8').catch(() => ''), 'CapEff');
}

/** The last line of a failed command's error output. */
export function commandErrorText(error: unknown): string {
  const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
  return said.split('\n').at(-1) || messageOf(error);
}
