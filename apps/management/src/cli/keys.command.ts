import { type Command, type CommandAnswer, printing } from '@rampart/program';

export function addKeysCommands(root: Command): void {
  const keys = root.command('keys').description('the secret keys of this installation');
  keys
    .command('forget')
    .description(
      'let the next start use other keys than the database was used with, or make new ones. Everything that was made with the ' +
        'lost keys (logins, subscription links, API keys of nodes, configurations of cores) is lost then. It works on the ' +
        'database itself, so the service must not run on an embedded one',
    )
    .summary('accept that keys are lost, while the service does not run')
    .action(printing(forgetKeys));
}

/** Declares the keys that the database was used with lost, without the service. @throws OperatorError */
async function forgetKeys(): Promise<CommandAnswer> {
  // The database's libraries take a second to load, which other commands do not need.
  const { openDatabase } = await import('../app/open-database.js');
  const { readManagementEnv } = await import('../env/management-env.js');
  const { forgetKnownKeys } = await import('../known-keys/load-shared-keys.js');
  const { dataSource, close } = await openDatabase(readManagementEnv(), () => undefined);
  try {
    await dataSource.transaction(forgetKnownKeys);
  } finally {
    await close();
  }
  const text =
    'The keys that the database was used with are forgotten: the next start uses the keys that it has, or creates new ones';
  return { text, json: { forgotten: true } };
}
