import { type Command, type CommandAnswer, printing } from '@rampart/program';
import type { CheckOptions } from './check-core.js';

export function addCoreCommands(root: Command): void {
  const core = root.command('core').description('configurations of the engine');
  core
    .command('check <file>')
    .description(
      'check a configuration of the engine as management does when it is saved; - reads standard input. The service need not ' +
        'run. Certificate files are read in RAMPART_CERTS_DIR',
    )
    .summary('check a configuration of the engine, without the service')
    .option('--exclude <tag...>', 'inbounds that are not offered to groups and hosts')
    .option('--fallbacks <tag...>', 'inbounds whose fallbacks are offered as inbounds of their own')
    .action(printing(check));
}

async function check(file: string, options: CheckOptions): Promise<CommandAnswer> {
  // The rules of configurations and client formats take long to load, which other commands do not need.
  const { checkCore } = await import('./check-core.js');
  return checkCore(file, options);
}
