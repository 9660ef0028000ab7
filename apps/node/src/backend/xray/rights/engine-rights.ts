import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { EngineAccount } from '../../../node.settings.js';
import type { Capability } from '../config/capabilities.js';
import { findInPath } from '../executable/locate-engine.js';
import { parentDeathWrapper } from './parent-death-wrapper.js';

/** Their bits. */
const CAPABILITY_BITS: Record<Capability, number> = { net_bind_service: 10, net_admin: 12 };

/** What the node itself must hold to run a program under another account, look after it and end it. */
const ACCOUNT_CHANGE_CAPABILITIES = { chown: 0, dac_override: 1, kill: 5, setgid: 6, setuid: 7, setpcap: 8 } as const;
const SETPCAP_BIT = ACCOUNT_CHANGE_CAPABILITIES.setpcap;

const TIMEOUT_MS = 5000;
const run = promisify(execFile);

/**
 * What the engine's program may do: as little as Linux lets us arrange. Its account is not the node's where the node is
 * root, it gains no privileges, it has the capabilities that its configuration asks for, and it ends with the node.
 */
export class EngineRights {
  private constructor(
    /** Commands in front of the program for these capabilities. */
    private readonly wrapperWith: (grantable: readonly Capability[]) => readonly string[],
    /** Those that the node has to give. */
    private readonly held: ReadonlySet<Capability>,
    /** Whose account the engine runs under; undefined: the node's own. */
    readonly account: EngineAccount | undefined,
    /** What an operator should know: where the engine may do more than it should. */
    readonly warnings: readonly string[],
    private readonly searchPath: string,
  ) {}

  /** @param wanted the account for the engine where the node is root; undefined: the node's own */
  static async detect(searchPath: string, wanted: EngineAccount | undefined): Promise<EngineRights> {
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

  /** What stands in front of the engine's program, which it becomes. Capabilities that the node does not have are left out. */
  wrapper(needed: readonly Capability[]): readonly string[] {
    return this.wrapperWith(this.granted(needed));
  }

  granted(needed: readonly Capability[]): readonly Capability[] {
    return needed.filter((name) => this.held.has(name));
  }

  /** Whether the engine may read, write or search a path; also true where nobody can tell. */
  async canAccess(what: 'read' | 'write' | 'search', path: string): Promise<boolean> {
    if (this.account === undefined) return true;
    const flag = { read: '-r', write: '-w', search: '-x' }[what];
    return this.runAsEngine(['test', flag, path]).then(
      () => true,
      (error: unknown) => !(typeof error === 'object' && error !== null && 'code' in error && error.code === 1),
    );
  }

  /** What a command says under the engine's rights: the kernel shows what is the engine's to whoever has its account. */
  async runAsEngine(command: readonly string[], needed: readonly Capability[] = []): Promise<string> {
    const [program = '', ...args] = [...this.wrapper(needed), ...command];
    const env = { PATH: this.searchPath, LC_ALL: 'C' };
    return (await run(program, args, { timeout: TIMEOUT_MS, env, maxBuffer: 64 * 2 ** 20 })).stdout;
  }

  /** What the operator calls the engine's account. */
  get name(): string {
    const { account } = this;
    return account === undefined
      ? "the node's account"
      : `the engine's account (uid ${account.uid}, gid ${account.gid})`;
  }
}

/** The bits of a set of capabilities in a process's status. */
export function parseCapabilities(status: string, set: 'CapEff' | 'CapPrm'): bigint {
  return BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`);
}

export function capabilityBits(capabilities: readonly Capability[]): bigint {
  return capabilities.reduce((bits, name) => bits | (1n << BigInt(CAPABILITY_BITS[name])), 0n);
}

/** None where there is no /proc. */
async function ownCapabilities(): Promise<bigint> {
  return parseCapabilities(await readFile('/proc/self/status', 'utf8').catch(() => ''), 'CapEff');
}

/** The last words of a command that failed. */
export function commandErrorText(error: unknown): string {
  const said = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
  return said.split('\n').at(-1) || (error instanceof Error ? error.message : String(error));
}
