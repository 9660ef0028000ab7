import { type Command, type CommandAnswer, printing, settingsReport } from '@rampart/program';

export function addSettingsCommand(root: Command): void {
  root
    .command('settings')
    .description(
      'show every setting as the environment of this command gives it, and where it comes from; secrets only as set or not set. ' +
        'The service has the same values if it was started in the same environment',
    )
    .summary('show every setting, and where it comes from')
    .action(printing(showSettings));
}

async function showSettings(): Promise<CommandAnswer> {
  const { describeManagementEnv } = await import('../env/management-env.js');
  return settingsReport(describeManagementEnv());
}
