import {
  type Command,
  type CommandAnswer,
  checkReport,
  createCommandLine,
  OperatorError,
  printing,
  settingsReport,
} from '@rampart/program';
import { examineNode } from '../doctor/doctor.module.js';
import { describeNodeEnv, readNodeEnv } from '../env/node-env.js';
import { NODE_VERSION } from '../node.version.js';
import { hasCertificate, readCertificates } from '../tls/certificate.js';
import { nodeLine } from '../tls/node-line.js';

const EPILOGUE = 'Exit codes: 0 done, 1 failed, or something is wrong, 2 wrong usage.';

/** The command line of the node. A command is added as in management: see apps/management/src/cli/README.md. */
export function createRampart(): Command {
  const root = createCommandLine({
    name: 'rampart',
    description: 'Commands for operators of a Rampart node.',
    version: NODE_VERSION,
    epilogue: EPILOGUE,
  });
  root
    .command('settings')
    .description(
      'show every setting as the environment of this command gives it, and where it comes from; secrets only as set or not set. ' +
        'The node has the same values if it was started in the same environment',
    )
    .summary('show every setting, and where it comes from')
    .action(printing(() => settingsReport(describeNodeEnv())));
  root
    .command('doctor')
    .description(
      'check settings, data folder, engine, rights, certificate, clock, port and the running node, and say what to do. The exit ' +
        'code is 1 if something is wrong',
    )
    .summary('check everything, and say what to do')
    .action(printing(async () => checkReport(await examineNode())));
  root
    .command('line')
    .description(
      'print the line by which management adds this node (rampart node add NAME --line …), with its API key: it is a secret. A node ' +
        'that is enrolled has none',
    )
    .summary('print the line by which management adds this node, a secret')
    .action(printing(printLine));
  return root;
}

async function printLine(): Promise<CommandAnswer> {
  const env = readNodeEnv();
  if (env.enrolment) throw new OperatorError('This node is enrolled: management knows it already.');
  if (!(await hasCertificate(env)))
    throw new OperatorError('The node has no certificate yet: its first start makes one. Start it, then try again.');
  const { cert } = await readCertificates(env);
  const line = nodeLine(cert, env.port, env.apiKey);
  return { text: line, json: { line } };
}
