import {
  type Check,
  type Command,
  type CommandAnswer,
  checkReport,
  checkSettings,
  ok,
  printing,
  UnreachableError,
  warning,
  wrong,
} from '@rampart/program';
import type { DoctorView } from '../doctor/doctor.dto.js';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { type GlobalOptions, managementOf } from './global-options.js';

export function addDoctorCommand(root: Command): void {
  root
    .command('doctor')
    .description(
      'check settings, database, keys, disk, clocks, certificates, ports, cores and every node, and say what to do. Where the ' +
        'service does not run, what can be checked without it is checked. The exit code is 1 if something is wrong',
    )
    .summary('check everything, and say what to do')
    .action(printing(examine));
}

async function examine(options: GlobalOptions): Promise<CommandAnswer> {
  const { describeManagementEnv } = await import('../env/management-env.js');
  const settings = checkSettings(describeManagementEnv());
  try {
    const { version, checks } = await managementOf(options).call<DoctorView>('GET', '/api/doctor');
    return checkReport([...settings, checkVersion(version), ...checks]);
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    const service = wrong(
      'service',
      error.message,
      'Start management. If it does not start, the rows below and its log say why.',
    );
    return checkReport([...settings, service, ...(await examineOffline(settings))]);
  }
}

/** The other checks depend on the settings, which must be right for them. */
async function examineOffline(settings: readonly Check[]): Promise<Check[]> {
  if (settings.some(({ state }) => state === 'wrong')) return [];
  // The database's libraries take a second to load, which a check of the running service does not need.
  const { examineWithoutService } = await import('./examine-without-service.js');
  return examineWithoutService();
}

function checkVersion(version: string): Check {
  const seen = `management ${version} runs`;
  if (version === MANAGEMENT_VERSION) return ok('service', seen);
  return warning(
    'service',
    `${seen}, this command has version ${MANAGEMENT_VERSION}`,
    'Restart management to use the installed version.',
  );
}
