import { parseArgs } from 'node:util';
import { messageOf } from '../errors.js';
import { type ProgramName, programNames, programs } from '../programs.js';
import { consoleReporter, type Screen } from '../reporter.js';
import { type InstallOptions, installProgram } from './install.js';
import { pinProgram } from './pin.js';

const usage = `Finds or installs a pinned program and prints its path.

  node tools/engine/dist/main.js [program] [--print]
  node tools/engine/dist/main.js --all-for-tests [--print]
  node tools/engine/dist/main.js [program] --pin

Programs: ${programNames.map((name) => `${name} (${programs[name].version})`).join(', ')}.
The default is xray. --all-for-tests installs all four, one after another.

It tries, in this order: the file named by the program's variable (${programs.xray.variable} …), PATH, the cache
(RAMPART_CACHE_DIR, else $XDG_CACHE_HOME/rampart, else ~/.cache/rampart), the official release archive, Go's module proxy.

The programs that it starts inherit the environment, so "go" reads GOPROXY, GOFLAGS and so on.

  --pin     write the SHA-256 of the program's release archives for every platform into tools/engine/sums.json, and install
            nothing; a pinned sum wins over one that is published beside an archive
  --print   write only the path to standard output; progress always goes to standard error
  --help    print this text
`;

/** Standard output and standard error of the process; tests pass their own. */
export interface Screens {
  out: Screen;
  err: Screen;
}

export interface CommandOptions extends InstallOptions {
  /** Path of the table that --pin writes. Default: the table in the repository. */
  sumsFile?: string;
}

type Request = { names: ProgramName[]; print: boolean; pin: boolean } | 'help' | { problem: string };

/** Runs the command and returns its exit code: 0 done, 1 a program is not available or not pinned, 2 wrong usage. */
export async function runCommand(args: string[], { out, err }: Screens, options: CommandOptions = {}): Promise<number> {
  const request = readArguments(args);
  if (request === 'help') {
    out.write(usage);
    return 0;
  }
  if ('problem' in request) {
    err.write(`${request.problem}\n\n${usage}`);
    return 2;
  }
  const problems: string[] = [];
  for (const name of request.names) {
    try {
      if (request.pin) {
        const unpinned = await pinProgram(name, { reporter: consoleReporter(err), ...options }, options.sumsFile);
        if (unpinned.length === 0) out.write(`${name} ${programs[name].version} is pinned for every platform\n`);
        problems.push(...unpinned);
        continue;
      }
      const { path, version, strategy } = await installProgram(name, { reporter: consoleReporter(err), ...options });
      out.write(request.print ? `${path}\n` : `${name} ${version} is ready (${strategy}): ${path}\n`);
    } catch (error) {
      options.signal?.throwIfAborted();
      problems.push(messageOf(error));
    }
  }
  if (problems.length > 0) err.write(`\n${problems.join('\n\n')}\n`);
  return problems.length > 0 ? 1 : 0;
}

function readArguments(args: string[]): Request {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'all-for-tests': { type: 'boolean', default: false },
        print: { type: 'boolean', default: false },
        pin: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return 'help';
    const { print, pin } = values;
    if (pin && (print || values['all-for-tests'])) return { problem: '"--pin" takes a program and nothing else.' };
    if (values['all-for-tests']) {
      return positionals.length > 0
        ? { problem: `"--all-for-tests" takes no program, but "${positionals.join(' ')}" was given.` }
        : { names: programNames, print, pin };
    }
    const [name = 'xray', ...more] = positionals;
    if (more.length > 0) return { problem: `One program at a time, but "${positionals.join(' ')}" was given.` };
    if (!isProgramName(name)) return { problem: `"${name}" is not one of ${programNames.join(', ')}.` };
    return { names: [name], print, pin };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function isProgramName(name: string): name is ProgramName {
  return Object.hasOwn(programs, name);
}
