import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { withEnvironment } from '../management/environment.mjs';
import { measureClicks } from './clicks.mjs';
import { medians } from './medians.mjs';
import { withDashboard } from './page.mjs';

const LIST = '/users?sort=username';
const JUMP_MS = 1000;
/** The first minute fills caches. */
const SETTLING_JUMPS = 60;
/** Memory that differs by less is the same: what the browser keeps for itself comes and goes. */
const FLAT_MB = 5;
const MB = 1_000_000;

/** Returns the rows of the table. */
export const measureDashboard = (users, { rounds, minutes }) =>
  withEnvironment(users, async ({ service }) => {
    const admin = { username: 'bench', password: randomUUID(), is_sudo: true };
    await service.call('POST', '/api/admin', admin);
    return withDashboard(`http://127.0.0.1:${service.port}`, admin, async (open) => [
      ...(await measureLoads(open, rounds)),
      ...(await measureList(open, { users, rounds, minutes })),
      ...(await measureClicks(open, rounds)),
    ]);
  });

async function measureLoads(open, rounds) {
  const load = async (options) => {
    const { ms } = await medians(rounds, async () => {
      const page = await open(LIST, options);
      const ms = await page.firstRowMs();
      await page.close();
      return { ms };
    });
    return ms;
  };
  return [
    { what: 'first rows', value: await load({}), unit: 'ms', goal: 600 },
    {
      what: 'first rows, 4 × slower processor, 1.6 Mbit/s, 150 ms',
      value: await load({ slowProcessor: true, slowNetwork: true }),
      unit: 'ms',
      goal: 3000,
    },
  ];
}

async function measureList(open, { users, rounds, minutes }) {
  const page = await open(LIST);
  await page.firstRowMs();
  const rows = await page.rows();
  let to = rows - 1;
  const jumps = await medians(rounds, async () => {
    await page.jump(0);
    const found = await page.jump(to);
    // Another page of rows, because the page keeps those that it has.
    to -= 100;
    return found;
  });
  const elements = await page.elements();
  const heap = await page.heapBytes();
  const heaps = [];
  const all = Math.ceil((minutes * 60_000) / JUMP_MS) + 1;
  const settled = Math.min(SETTLING_JUMPS, all - 1);
  for (let at = 0; at < all; at++) {
    // A stride that shares no divisor with the number of rows meets all parts of the list.
    await Promise.all([page.jump((at * 7919) % rows), wait(JUMP_MS)]);
    if (at === settled - 1 || at === all - 1) heaps.push(await page.heapBytes());
  }
  await page.close();
  const [before, end] = heaps;
  return [
    {
      what: `jump to row ${users.toLocaleString('en')}, beyond the server's time`,
      value: jumps.own,
      unit: 'ms',
      goal: 200,
    },
    { what: "the server's time for it", value: jumps.server, unit: 'ms' },
    { what: 'elements of the page', value: elements, unit: '', goal: 1500 },
    { what: 'memory of its scripts', value: heap / MB, unit: 'MB', goal: 50 },
    {
      what: `growth of it over ${minutes} min of jumps`,
      value: Math.max(0, end - before) / MB,
      unit: 'MB',
      goal: FLAT_MB,
    },
  ];
}
