// `npm run chaos`: the chaos run with other sizes and durations than in the tests.
import { parseArgs } from 'node:util';
import { runJest } from '../quickstart/jest.mjs';
import { prepare } from '../quickstart/prepare.mjs';
import { main, run, step } from '../quickstart/steps.mjs';

const HELP = `Usage: npm run chaos -- [--seconds N] [--seed N] [--nodes N] [--managements N] [--faults PATTERN]

Runs PostgreSQL, managements, nodes and clients that pass traffic all the time, lets faults happen to them one after the other,
and checks that nobody notices. Some faults need root, network namespaces, netem or libfaketime; it names those that it skips.

  --seconds      how long new faults are begun (600)
  --seed         number that decides the order of the faults and changes (1)
  --nodes        number of nodes (2)
  --managements  number of managements (2)
  --faults       only faults whose names match this regular expression
`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    nodes: { type: 'string', default: '2' },
    managements: { type: 'string', default: '2' },
    faults: { type: 'string', default: '' },
    help: { type: 'boolean' },
  },
});

if (values.help) process.stdout.write(HELP);
else
  await main(async () => {
    await prepare();
    await step('Installing the engine', () => run(process.execPath, ['tools/engine/dist/main.js'], { show: true }));
    await runJest(['tools/chaos/src/chaos.e2e.spec.ts'], {
      RAMPART_CHAOS_SECONDS: values.seconds,
      RAMPART_CHAOS_SEED: values.seed,
      RAMPART_CHAOS_NODES: values.nodes,
      RAMPART_CHAOS_MANAGEMENTS: values.managements,
      RAMPART_CHAOS_FAULTS: values.faults,
    });
  });
