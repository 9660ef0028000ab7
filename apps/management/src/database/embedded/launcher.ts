import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { type Account, blockedDirectory } from './account.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import type { PostgresBinaries } from './postgres-binaries.js';

const run = promisify(execFile);

// The database gets a minimal environment, because the environment of management holds secrets.
const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** Capabilities to pass through directories, the weaker one first: it allows reading only, the other one also writing. */
const PASS_THROUGH = ['dac_read_search', 'dac_override'];

/** Starts the programs of PostgreSQL under an unprivileged account. */
export class Launcher {
  private constructor(
    /** The version, such as "18.4". */
    readonly version: string,
    private readonly prefix: readonly string[],
    private readonly options: SpawnOptions,
  ) {}

  /**
   * Finds a working way to start programs, by running `postgres --version`: through `setpriv`, so that the kernel ends
   * the server when this process dies, else directly. Directories that the account cannot pass through require setpriv
   * and a capability.
   */
  static async find(binaries: PostgresBinaries, directory: string, account?: Account): Promise<Launcher> {
    const blocked =
      account &&
      ((await blockedDirectory(binaries.postgres, account)) ?? (await blockedDirectory(`${directory}/.`, account)));
    const identity = account ? ['--reuid', `${account.uid}`, '--regid', `${account.gid}`, '--clear-groups'] : [];
    const setpriv = ['setpriv', '--pdeathsig', 'INT', ...identity];
    const ways: { prefix: string[]; options: SpawnOptions }[] = blocked
      ? PASS_THROUGH.map((name) => ({
          // Without no_setuid_fixup, access(2) ignores the capability; PostgreSQL calls it on its own binary.
          prefix: [
            ...setpriv,
            '--securebits',
            '+no_setuid_fixup',
            '--inh-caps',
            `-all,+${name}`,
            '--ambient-caps',
            `-all,+${name}`,
          ],
          options: {},
        }))
      : [
          { prefix: setpriv, options: {} },
          { prefix: [], options: account ? { uid: account.uid, gid: account.gid } : {} },
        ];
    const failures: string[] = [];
    for (const { prefix, options } of ways) {
      const [file = '', ...args] = [...prefix, binaries.postgres, '--version'];
      try {
        const { stdout } = await run(file, args, { ...options, env: ENVIRONMENT, cwd: '/' });
        const version = /\(PostgreSQL\) (\d+\.\d+)/.exec(stdout)?.[1];
        if (version) return new Launcher(version, prefix, options);
        failures.push(`unexpected answer ${JSON.stringify(stdout)}`);
      } catch (error) {
        failures.push(reason(error));
      }
    }
    throw new EmbeddedPostgresError(
      blocked
        ? `PostgreSQL runs as ${account.name}, who cannot pass through ${blocked}, and setpriv could not help (${failures.join('; ')}). ` +
            `Either allow it (chmod o+x ${blocked}), or move the program and the data (RAMPART_DATA_DIR) elsewhere.`
        : `The embedded PostgreSQL does not run (${failures.join('; ')}). Name a PostgreSQL server in DATABASE_URL instead.`,
    );
  }

  /** Starts a program in a process group of its own, so that Ctrl-C in the terminal reaches management only. */
  spawn(program: string, args: readonly string[]): ChildProcess {
    const [file = '', ...rest] = [...this.prefix, program, ...args];
    return spawn(file, rest, {
      ...this.options,
      env: ENVIRONMENT,
      cwd: '/',
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  }
}

function reason(error: unknown): string {
  const { stderr, message } = error as { stderr?: string; message: string };
  return (stderr?.trim() || message).split('\n', 1)[0] ?? '';
}
