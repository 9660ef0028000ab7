// `npm run seed`: fills a running management with realistic data, through its API alone.
import { parseArgs } from 'node:util';
import { Api } from './src/api.mjs';
import { seed } from './src/seed.mjs';

const HELP = `npm run seed: fills a running management with admins, a core, groups, hosts, templates and users, through its API.

  --users N      how many users there shall be in all, at least what there are (1000)
  --url URL      where management answers (http://127.0.0.1:8000)
  --username U   a sudo admin (admin)
  --help         this text

The password of that admin comes from RAMPART_ADMIN_PASSWORD. What exists by name is used again, so that a second call with more
users adds only users. The logins of new admins are printed once.`;

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
