import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { emptyFolders, FOLDERS, foldersOfWorker } from './folders.mjs';

/** Set by `showOutputOnFailure` of `tools/testing/src`. */
const OUTPUTS = Symbol.for('rampart.outputs');
const LINES = 200;

/**
 * Shows what the programs of a test file have said since its last failure, when one of its tests or hooks fails, and removes
 * what the file leaves in the folders for temporary files.
 */
export default class ShowingEnvironment extends NodeEnvironment {
  shown = new Map();

  constructor(config, context) {
    // The environment variables of a test are copied now.
    foldersOfWorker();
    super(config, context);
    refuseSignalsToTheRun(this.global.process);
  }

  async setup() {
    await super.setup();
    this.global[FOLDERS] = foldersOfWorker();
  }

  async teardown() {
    await super.teardown();
    emptyFolders();
  }

  handleTestEvent({ name, test, describeBlock, hook }) {
    if (name === 'test_done' && test.errors.length > 0) this.showOutput(titleOf(test));
    if (name === 'hook_failure' && test === undefined) this.showOutput(`${hook.type} of ${titleOf(describeBlock)}`);
  }

  showOutput(title) {
    const parts = [];
    for (const [program, read] of this.global[OUTPUTS] ?? []) {
      const output = read();
      const lines = output
        .slice(this.shown.get(program) ?? 0)
        .trimEnd()
        .split('\n');
      this.shown.set(program, output.length);
      if (lines.length === 1 && lines[0] === '') continue;
      const left = lines.length - LINES;
      const first = left > 0 ? `(${left} earlier lines are left out)\n` : '';
      parts.push(`--- ${program}\n${first}${lines.slice(-LINES).join('\n')}\n`);
    }
    if (parts.length > 0) process.stderr.write(`\nWhat the programs of "${title}" said:\n${parts.join('')}\n`);
  }
}

function titleOf(block) {
  const names = [];
  for (let at = block; at?.parent; at = at.parent) names.unshift(at.name);
  return names.join(' ') || 'the file';
}

/** A process that a test did not find has often the number 0, and a signal to that ends the whole run without a word. */
function refuseSignalsToTheRun(process) {
  const { kill } = process;
  process.kill = (pid, signal) => {
    if (Math.abs(pid) <= 1) throw new Error(`process.kill(${pid}): no process of this test has this number`);
    return kill(pid, signal);
  };
}
