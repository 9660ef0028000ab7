import type { NodeLine } from '@rampart/node-client';
import { type Command, type CommandAnswer, OperatorError, printable, printing } from '@rampart/program';
import type { NodeView } from '../nodes/api/node.dto.js';
import type { NodeEnrolment } from '../nodes/api/node-enrolment.dto.js';
import { findNode } from './find-nodes.js';
import { type GlobalOptions, managementOf } from './global-options.js';
import { positiveInteger } from './option-values.js';
import { SecretReader } from './read-password.js';

interface AddOptions extends GlobalOptions {
  address?: string;
  port?: number;
  listenPort?: number;
  core?: number;
  /** True without a value: the line comes from standard input. */
  line?: string | true;
}

/** The commands that give management a new node, or a node another key. @param node the command `rampart node` */
export function addNodeEnrolmentCommands(node: Command): void {
  node
    .command('add <name>')
    .description(
      'create a node and print RAMPART_ENROLMENT=…, which is shown once, and the only setting that the node needs. With --line, a ' +
        'node that runs already with a certificate of its own is added: its line, and its API key where the line has none, are read ' +
        'from standard input, so that no list of processes and no history of a shell has the key',
    )
    .summary('create a node and print the one setting that it needs')
    .option('--address <address>', 'IP address or domain name under which management reaches the node')
    .option('--port <port>', 'port to which management connects (default: 62050)', positiveInteger)
    .option('--core <id>', 'core configuration that the node runs (default: 1)', positiveInteger)
    .addOption(
      node
        .createOption('--listen-port <port>', 'port on which the node listens, where another one is mapped to it')
        .argParser(positiveInteger)
        .conflicts('line'),
    )
    .option(
      '--line [line]',
      'add a node that is not enrolled: the line that it prints at its start. Without a value, or with -, it is read from ' +
        'standard input, as a line with an API key should be',
    )
    .action(printing(addNode));
  node
    .command('enrol <node>')
    .description(
      'print another RAMPART_ENROLMENT=… for a node, by name or id: its value was lost or seen by others, or its machine is a new ' +
        'one. The API key and the certificate before it end at once',
    )
    .summary('give a node another key and certificate')
    .action(printing(enrolAgain));
}

function addNode(name: string, options: AddOptions): Promise<CommandAnswer> {
  return options.line === undefined ? enrol(name, options) : addByLine(name, options.line, options);
}

async function enrol(
  name: string,
  { address, port, listenPort, core, ...options }: AddOptions,
): Promise<CommandAnswer> {
  if (address === undefined) throw new OperatorError('Give the address of the node: --address, or --line.');
  const body = { name, address, port, listen_port: listenPort, core_config_id: core };
  return enrolmentAnswer(await managementOf(options).call<NodeEnrolment>('POST', '/api/nodes/enrol', body));
}

async function enrolAgain(name: string, options: GlobalOptions): Promise<CommandAnswer> {
  const management = managementOf(options);
  const node = await findNode(management, name);
  return enrolmentAnswer(await management.call<NodeEnrolment>('POST', `/api/node/${node.id}/enrol`));
}

const enrolmentAnswer = (json: NodeEnrolment): CommandAnswer => ({ text: json.enrolment, json });

async function addByLine(name: string, given: string | true, options: AddOptions): Promise<CommandAnswer> {
  const input = new SecretReader();
  try {
    const line = await lineOf(given === true || given === '-' ? await input.ask('Line of the node: ') : given);
    const apiKey = line.apiKey ?? (await input.ask('API key of the node: '));
    return await addKnownNode(name, { ...line, apiKey }, options);
  } finally {
    input.close();
  }
}

async function addKnownNode(
  name: string,
  line: NodeLine & { apiKey: string },
  { core, ...options }: AddOptions,
): Promise<CommandAnswer> {
  const json = await managementOf(options).call<NodeView>('POST', '/api/node', {
    name,
    address: options.address ?? line.address,
    port: options.port ?? line.port,
    connection_type: 'grpc',
    server_ca: line.certificate,
    keep_alive: 0,
    core_config_id: core ?? 1,
    api_key: line.apiKey,
  });
  return { text: `Added the node ${printable(json.name)} at ${json.address}, port ${json.port}`, json };
}

async function lineOf(text: string): Promise<NodeLine> {
  // The client's transports take long to load, which other commands do not need.
  const { NodeClientError, readNodeLine } = await import('@rampart/node-client');
  try {
    return readNodeLine(text);
  } catch (error) {
    throw error instanceof NodeClientError ? new OperatorError(`--line ${error.message}`, { cause: error }) : error;
  }
}
