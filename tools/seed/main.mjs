// `npm run seed`: fills a running management with realistic data through its API.
import { parseArgs } from 'node:util';
import { Api } from './src/api.mjs';
import { seed } from './src/seed.mjs';

const HELP = `npm run seed: fills a running management with admins, a core, groups, hosts, templates and users, through its API.

  --users N      number of users that management has afterwards; existing ones count (1000)
  --url URL      address of management (http://127.0.0.1:8000)
  --username U   name of a sudo admin (admin)
  --help         print this text

The password of that admin comes from RAMPART_ADMIN_PASSWORD. Existing names are reused, so a second call with more users
adds only users. The logins of new admins are printed once.`;

async function main() {
  const { values } = parseArgs({
    options: {
      users: { type: 'string', default: '1000' },
      url: { type: 'string', default: 'http://127.0.0.1:8000' },
      username: { type: 'string', default: 'admin' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(HELP);
  const users = Number(values.users);
  if (!Number.isSafeInteger(users) || users < 1) throw new Error('--users must be a whole number above 0.');
  const password = process.env.RAMPART_ADMIN_PASSWORD;
  if (!password) throw new Error('RAMPART_ADMIN_PASSWORD must hold the password of the admin that --username names.');
  const api = new Api(values.url.replace(/\/+$/, ''));
  await seed(await api.login(values.username, password), users, console.log);
}

await main().catch((error) => {
  console.error(`\n✗ ${error.message}`);
  process.exitCode = 1;
});
