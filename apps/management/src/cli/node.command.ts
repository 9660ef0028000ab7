import { createInterface } from 'node:readline';
import {
  type Command,
  type CommandAnswer,
  OperatorError,
  printable,
  printing,
  textList,
  textTable,
} from '@rampart/program';
import type { NodeView } from '../nodes/api/node.dto.js';
import type { UsageRevertView } from '../nodes/api/usage-revert.dto.js';
import { findNode, findNodes } from './find-nodes.js';
import { type GlobalOptions, managementOf } from './global-options.js';
import { addNodeEnrolmentCommands } from './node-add.command.js';
import { positiveInteger } from './option-values.js';

export function addNodeCommands(root: Command): void {
  const node = root.command('node').description('nodes, which run the engine');
  addNodeEnrolmentCommands(node);
  node.command('list').description('list the nodes with their state').action(printing(listNodes));
  node
    .command('reconnect [node...]')
    .description('connect again to nodes, by name or id, and start them with what is stored')
    .option('--all', 'all nodes that are not disabled')
    .action(printing(reconnect));
  node
    .command('disable <node>')
    .description('stop a node, by name or id, and leave it alone; everything of it stays')
    .action(printing((name: string, options: GlobalOptions) => setDisabled(name, true, options)));
  node
    .command('enable <node>')
    .description('connect to a disabled node again, and start it')
    .action(printing((name: string, options: GlobalOptions) => setDisabled(name, false, options)));
  node
    .command('remove <node>')
    .description('stop a node, by name or id, and delete it; what its users have used stays counted')
    .action(printing(removeNode));
  node
    .command('revert-usage <node>')
    .description('take back what a node, by name or id, has reported in some hours, from all counters and the history')
    .requiredOption('--from <moment>', 'beginning of the first hour of UTC, such as 2026-12-31T14:00:00Z')
    .option('--to <moment>', 'end of the last hour; by default everything until now')
    .option('--dry-run', 'change nothing, and tell what would be taken back')
    .action(printing(revertUsage));
  node
    .command('logs <node>')
    .description('print the log of a node, by name or id, until Ctrl-C; --json prints an object for each line')
    .option('--lines <number>', 'end after this many lines', positiveInteger)
    .action(printing(printLog));
}

async function listNodes(options: GlobalOptions): Promise<CommandAnswer> {
  const nodes = await managementOf(options).call<NodeView[]>('GET', '/api/nodes');
  const rows = nodes.map(({ id, name, address, port, status, core_version, node_version, core_pending, message }) => [
    `${id}`,
    name,
    `${address.includes(':') ? `[${address}]` : address}:${port}`,
    core_pending ? `${status}, core pending` : status,
    core_version ?? '-',
    node_version ?? '-',
    message ?? '',
  ]);
  return { text: textTable(['ID', 'NAME', 'ADDRESS', 'STATE', 'ENGINE', 'VERSION', 'MESSAGE'], rows), json: nodes };
}

async function reconnect(names: string[], options: GlobalOptions & { all?: true }): Promise<CommandAnswer> {
  const management = managementOf(options);
  if (options.all === (names.length > 0 || undefined))
    throw new OperatorError('Name the nodes to connect to, or give --all.');
  if (options.all) {
    await management.call('POST', '/api/nodes/reconnect');
    return { text: 'Management connects again to all nodes that are not disabled', json: { nodes: 'all' } };
  }
  const nodes = await findNodes(management, names);
  for (const { id } of nodes) await management.call('POST', `/api/node/${id}/reconnect`);
  return {
    text: nodes.map(({ name }) => `Management connects again to ${printable(name)}`).join('\n'),
    json: { nodes: nodes.map(({ id, name }) => ({ id, name })) },
  };
}

async function setDisabled(name: string, isDisabled: boolean, options: GlobalOptions): Promise<CommandAnswer> {
  const management = managementOf(options);
  const node = await findNode(management, name);
  const status = isDisabled ? 'disabled' : 'connecting';
  const json = await management.call<NodeView>('PUT', `/api/node/${node.id}`, { status });
  const shown = printable(node.name);
  return { text: isDisabled ? `${shown} is disabled` : `Management connects to ${shown} again`, json };
}

async function removeNode(name: string, options: GlobalOptions): Promise<CommandAnswer> {
  const management = managementOf(options);
  const node = await findNode(management, name);
  await management.call('DELETE', `/api/node/${node.id}`);
  return { text: `Deleted the node ${printable(node.name)}`, json: { id: node.id, name: node.name } };
}

async function revertUsage(
  name: string,
  { from, to, dryRun, ...options }: GlobalOptions & { from: string; to?: string; dryRun?: true },
): Promise<CommandAnswer> {
  const management = managementOf(options);
  const node = await findNode(management, name);
  const hours = { from, ...(to !== undefined && { to }), dry_run: dryRun ?? false };
  const json = await management.call<UsageRevertView>('POST', `/api/node/${node.id}/usage/revert`, hours);
  const { possible_holds: holds } = json;
  const rows: [string, string][] = [
    ['hours', `${json.from} to ${json.to}`],
    ['users', `${json.affected_users}, ${json.user_bytes} bytes`],
    ['served again', `${json.reactivated_users}`],
    ['admins', `${json.affected_admins}, ${json.admin_bytes} bytes`],
    ['node', `${json.uplink} bytes up, ${json.downlink} bytes down`],
    ...(holds.length > 0 ? [['perhaps on hold before', holds.join(', ')] as [string, string]] : []),
  ];
  const what = json.dry_run ? 'Would take back' : 'Took back';
  return { text: `${what} what ${printable(node.name)} has reported\n${textList(rows)}`, json };
}

async function printLog(name: string, options: GlobalOptions & { lines?: number }): Promise<CommandAnswer> {
  const management = managementOf(options);
  const node = await findNode(management, name);
  const stream = await management.stream(`/api/node/${node.id}/logs`);
  let left = options.lines ?? Number.POSITIVE_INFINITY;
  try {
    for await (const line of createInterface({ input: stream })) {
      const text = /^data: (.*)$/.exec(line)?.[1];
      if (text === undefined) continue;
      process.stdout.write(`${options.json ? JSON.stringify({ line: text }) : printable(text)}\n`);
      left -= 1;
      if (left <= 0) return { text: '', json: undefined };
    }
  } finally {
    stream.destroy();
  }
  throw new OperatorError(`The log has ended: ${printable(name)} or management was stopped.`);
}
