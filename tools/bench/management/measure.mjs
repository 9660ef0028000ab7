import { CHANGES, CREATION, DEEP_READS, READS, TEMPLATE } from './cases.mjs';
import { withEnvironment } from './environment.mjs';
import { measurePressure, measureStrangers } from './pressure.mjs';

/** Number of requests before the measurement, so that the code is compiled. */
const WARM_UP = 10;

/** Measures everything and returns the rows of both tables. */
export const measure = (users, repeats) =>
  withEnvironment(users, async (environment) => {
    const rows = [];
    for (const read of READS) rows.push(await measureRead(environment, read, repeats));
    rows.push(await measureCreation(environment, Math.ceil(repeats / 2)));
    rows.push(...(await measureChanges(environment, Math.ceil(repeats / 10))));
    return { rows, pressure: await measurePressure(environment) };
  });

/** Measures only windows deep in the list of users. */
export const measureDeepLists = (users, repeats) =>
  withEnvironment(users, async (environment) => {
    const rows = [];
    for (const read of DEEP_READS(users)) rows.push(await measureRead(environment, read, repeats));
    return rows;
  });

/** Measures only the latency for others while one admin sends many changes at once. */
export const measureOnlyPressure = (users) => withEnvironment(users, measurePressure);

/** The same while 300 connections of another address ask for subscriptions that do not exist. */
export const measureOnlyStrangers = (users) => withEnvironment(users, measureStrangers);

async function measureRead({ service, bare, database }, { what, path, sql, goal }, repeats) {
  const { text } = await service.call('GET', path);
  const times = await timed(repeats, async () => (await service.call('GET', path)).ms);
  const route = await timed(repeats, async () => (await bare.call('GET', `/${Buffer.byteLength(text)}`)).ms);
  const plain = await timed(repeats, () => elapsed(() => Promise.all(sql.map((query) => database.query(query)))));
  return row(what, goal, times, route, plain);
}

async function measureCreation({ service, bare, database }, repeats) {
  const { text } = await service.call('POST', '/api/user_template', TEMPLATE);
  const body = CREATION.body(JSON.parse(text).id);
  const times = await timed(repeats, async () => (await service.call('POST', CREATION.path, body)).ms);
  const route = await timed(repeats, async () => (await bare.call('GET', '/45000')).ms);
  const plain = await timed(repeats, () => elapsed(() => undone(database, CREATION.sql)));
  return row(CREATION.what, CREATION.goal, times, route, plain);
}

/** Measures pairs of changes that undo each other, alternately, and their plain SQL in one transaction. */
async function measureChanges({ service, bare, database }, rounds) {
  const route = await timed(rounds, async () => (await bare.call('GET', '/70')).ms);
  const [times, plain] = [CHANGES.map(() => []), CHANGES.map(() => [])];
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { path, body }] of CHANGES.entries()) {
      times[index].push((await service.call('POST', path, body)).ms);
    }
    for (const [index, { sql }] of CHANGES.entries()) {
      plain[index].push(await elapsed(() => database.query(sql)));
    }
    // Autovacuum would run between two such changes.
    await database.query('VACUUM (ANALYZE) user_groups, user_revisions, users');
  }
  return CHANGES.map(({ what, goal }, index) => row(what, goal, times[index], route, plain[index]));
}

function row(what, goal, times, route, plain) {
  const sorted = times.toSorted((one, other) => one - other);
  const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1];
  return { what, goal, median: median(times), p95, route: median(route), sql: median(plain) };
}

async function timed(repeats, work) {
  const times = [];
  for (let index = -Math.min(WARM_UP, repeats); index < repeats; index += 1) {
    const ms = await work();
    if (index >= 0) times.push(ms);
  }
  return times;
}

async function elapsed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Runs a statement in a transaction that is rolled back. */
async function undone(database, sql) {
  const runner = database.createQueryRunner();
  try {
    await runner.query('BEGIN');
    await runner.query(sql);
    await runner.query('ROLLBACK');
  } finally {
    await runner.release();
  }
}

const median = (times) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)];
