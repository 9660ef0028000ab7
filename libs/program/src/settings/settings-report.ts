import type { CommandAnswer } from '../command-line/command-line.js';
import { EXIT_CODES } from '../command-line/exit-codes.js';
import { textTable } from '../command-line/text-table.js';
import { type Check, ok, wrong } from '../doctor/check.js';
import type { SettingDescription } from './describe-settings.js';

/** The answer of the command `settings`: a table, and what is wrong. The exit code is 1 if something is. */
export function settingsReport(settings: readonly SettingDescription[]): CommandAnswer {
  const rows = settings.map(({ name, value, origin }) => [name, value ?? 'not set', value === null ? '' : origin]);
  const problems = problemsOf(settings);
  return {
    text: [textTable(['SETTING', 'VALUE', 'FROM'], rows), ...problems.map((problem) => `wrong: ${problem}`)].join('\n'),
    json: settings,
    exitCode: problems.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed,
  };
}

/** What a doctor says of the settings. */
export function checkSettings(settings: readonly SettingDescription[]): Check[] {
  const problems = problemsOf(settings);
  if (problems.length > 0)
    return problems.map((problem) => wrong('settings', problem, 'Correct it; "rampart settings" shows all of them.'));
  const given = settings.filter(({ origin }) => origin === 'environment' || origin.startsWith('file ')).length;
  return [ok('settings', `${given} ${given === 1 ? 'is' : 'are'} given, the others have their defaults`)];
}

const problemsOf = (settings: readonly SettingDescription[]): string[] =>
  settings.flatMap(({ problem }) => (problem === null ? [] : [problem]));
