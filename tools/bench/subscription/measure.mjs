import { withEnvironment } from '../management/environment.mjs';
import { CORE, HOSTS, TAGS } from './hosts.mjs';
import { withLoadClient } from './load-client-process.mjs';
import { cpuSeconds, residentMebibytes } from './process-figures.mjs';
import { REQUESTS } from './requests.mjs';

/** Answers by which the code is compiled, and which the database needs to have its plans. */
const WARM_UP = 2000;
/** Pages for each subscription of another format: apps fetch all the time, browsers hardly ever. */
const BROWSERS = 0.03;
/** In how many steps memory is looked at. */
const STEPS = 12;
const PAGE = 1000;

/** Rows of the table: in each round every format, and right after it the bare route with as many bytes. */
export const measureFormats = (users, { seconds, rounds }) =>
  withEnvironment(users, async ({ service, bare, database }) => {
    await showHosts(service, database);
    return withLoadClient(await tokensOf(service, users), async (ask) => {
      const rows = REQUESTS.map((request) => ({ ...request, service: [], bare: [] }));
      for (const { path, headers } of REQUESTS) await ask({ port: service.port, path, headers, answers: WARM_UP });
      await ask({ port: bare.port, path: '/5000', answers: WARM_UP });
      for (let round = 0; round < rounds; round += 1) {
        for (const row of rows) {
          const { path, headers } = row;
          const own = await observed(service, () => ask({ port: service.port, path, headers, seconds }));
          const other = await observed(bare, () =>
            ask({ port: bare.port, path: `/${own.bytes}`, seconds: seconds / 2 }),
          );
          row.service.push(own);
          row.bare.push(other);
        }
      }
      return rows;
    });
  });

/** Rows of the table: the memory of the service after each part of the requests. */
export const measureMemory = (users, answers) =>
  withEnvironment(users, async ({ service, database }) => {
    await showHosts(service, database);
    return withLoadClient(await tokensOf(service, users), async (ask) => {
      const rows = [];
      const most = Math.ceil(answers / STEPS / (REQUESTS.length - 1 + BROWSERS));
      let asked = 0;
      for (let step = 1; step <= STEPS; step += 1) {
        for (const { what, path, headers } of REQUESTS) {
          const part = what === 'page' ? Math.ceil(most * BROWSERS) : most;
          await ask({ port: service.port, path, headers, answers: part });
          asked += part;
        }
        rows.push({ answers: asked, mebibytes: residentMebibytes(service.child.pid) });
      }
      return rows;
    });
  });

/** What the server takes of a processor besides: that depends less on what else runs. */
async function observed({ child }, work) {
  const before = cpuSeconds(child.pid);
  const figures = await work();
  return { ...figures, cpu: ((cpuSeconds(child.pid) - before) / figures.answers) * 1000 };
}

/** In place of the hosts and groups that lists are measured with. All users have fetched theirs before, as most do. */
async function showHosts(service, database) {
  await database.query('DELETE FROM hosts');
  await service.call('PUT', '/api/core/1', CORE);
  await database.query('UPDATE groups SET inbound_tags = $1', [TAGS]);
  for (const host of HOSTS) await service.call('POST', '/api/host', host);
  await database.query(
    `INSERT INTO user_subscription_updates (user_id, user_agents, fetched_at)
     SELECT id, ARRAY['v2rayNG/1.10.5'], ARRAY[now()] FROM users`,
  );
  await database.query('VACUUM (ANALYZE)');
}

async function tokensOf(service, users) {
  const tokens = [];
  for (let offset = 0; offset < users; offset += PAGE) {
    const { text } = await service.call('GET', `/api/users?load_sub=true&limit=${PAGE}&offset=${offset}`);
    tokens.push(...JSON.parse(text).users.map((user) => user.subscription_url.split('/').at(-1)));
  }
  return tokens;
}
