import { type Command, createCommandLine } from '@rampart/program';
import { MANAGEMENT_VERSION } from '../env/version.js';
import { addAdminCommands } from './admin.command.js';
import { addBackupCommands } from './backup.command.js';
import { addCoreCommands } from './core.command.js';
import { addDoctorCommand } from './doctor.command.js';
import { addKeysCommands } from './keys.command.js';
import { addNodeCommands } from './node.command.js';
import { addSettingsCommand } from './settings.command.js';
import { addUserCommands } from './user.command.js';

const EPILOGUE = `Commands that say nothing else call the API of the running service through the socket control.sock in its data folder
(RAMPART_DATA_DIR, or --socket), with the key in control.sock.key beside it. Whoever may open both files has all rights; the audit log
names the commands "local".

Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 the service cannot be reached.`;

/** The command line of management. README.md of this folder tells how a command is added. */
export function createRampart(): Command {
  const root = createCommandLine({
    name: 'rampart',
    description: 'Commands for operators of Rampart management.',
    version: MANAGEMENT_VERSION,
    epilogue: EPILOGUE,
  }).option('--socket <path>', 'socket of the running service');
  addAdminCommands(root);
  addUserCommands(root);
  addNodeCommands(root);
  addCoreCommands(root);
  addSettingsCommand(root);
  addDoctorCommand(root);
  addKeysCommands(root);
  addBackupCommands(root);
  return root;
}
