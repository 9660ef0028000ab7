import { randomBytes } from 'node:crypto';
import { CORE, GROUPS, HOSTS, NAMES, NOTES, SELLERS, seedCore, TEMPLATES } from './data.mjs';

/** Maximum number of users that one call creates from a template. */
const MAX_BATCH_USERS = 500;
/** Out of this many users, one gets a note, one is disabled and one has expired. */
const VARIATION_INTERVAL = 25;

/** Creates data until management has `wanted` users. `api` has the token of a sudo admin. Existing names are reused. */
export async function seed(api, wanted, print) {
  await seedCatalogue(api);
  const templates = await seedTemplates(api);
  const owners = [api, ...(await seedSellers(api, print))];
  const { total } = await api.get('/api/users?limit=1');
  let made = total;
  let next = total + 1;
  for (let batch = 0; made < wanted; batch++) {
    const template = templates[batch % templates.length];
    const count = Math.min(MAX_BATCH_USERS, wanted - made, share(template, wanted));
    const name = NAMES[batch % NAMES.length];
    const body = { user_template_id: template.id, count, strategy: 'sequence', username: name, start_number: next };
    const { created } = await owners[batch % owners.length].post('/api/users/bulk/from_template', body);
    // The call skips existing names. Then the batch contains users of somebody else, and stays unchanged.
    if (created === count) await varyUsers(api, name, next, count, template.onHold);
    made += created;
    next += count;
    print(`${made} of ${wanted} users`);
  }
  print(`Management has ${made} users.`);
}

/** Number of users per template and round, so that the shares are right for small databases too. */
function share(template, wanted) {
  return Math.max(1, Math.ceil((Math.min(wanted, MAX_BATCH_USERS) * template.share) / 100));
}

async function seedCatalogue(api) {
  const { cores } = await api.get('/api/cores');
  if (!cores.some(({ name }) => name === CORE)) await api.post('/api/core', { name: CORE, config: seedCore() });
  const { groups } = await api.get('/api/groups');
  for (const [name, inbound_tags] of Object.entries(GROUPS)) {
    if (!groups.some((group) => group.name === name)) await api.post('/api/group', { name, inbound_tags });
  }
  const hosts = await api.get('/api/hosts');
  for (const [priority, [remark, inbound_tag, address, more]] of HOSTS.entries()) {
    if (hosts.some((host) => host.remark === remark)) continue;
    await api.post('/api/host', { remark, inbound_tag, address, priority, ...more });
  }
}

async function seedTemplates(api) {
  const { groups } = await api.get('/api/groups');
  const known = await api.get('/api/user_templates');
  const made = [];
  for (const { share, groups: names, ...template } of TEMPLATES) {
    const group_ids = groups.filter(({ name }) => names.includes(name)).map(({ id }) => id);
    const { id } =
      known.find(({ name }) => name === template.name) ??
      (await api.post('/api/user_template', { ...template, group_ids }));
    made.push({ id, share, onHold: template.status === 'on_hold' });
  }
  return made;
}

/** Creates admins without sudo who own users. Those of an earlier run are skipped: their passwords are not known. */
async function seedSellers(api, print) {
  const admins = await api.get('/api/admins');
  const sellers = [];
  for (const username of SELLERS) {
    if (admins.some((admin) => admin.username === username)) continue;
    const password = randomBytes(12).toString('base64url');
    await api.post('/api/admin', { username, password, is_sudo: false });
    print(`New admin ${username} with the password ${password}`);
    sellers.push(await api.login(username, password));
  }
  return sellers;
}

/** Gives some of the users a note, disables some and lets some expire, as in a database that is in use. */
async function varyUsers(api, name, first, count, onHold) {
  for (let number = first; number + 2 < first + count; number += VARIATION_INTERVAL) {
    await api.put(`/api/user/${name}${number}`, { note: NOTES[number % NOTES.length] });
    await api.put(`/api/user/${name}${number + 1}`, { status: 'disabled' });
    if (!onHold) await api.put(`/api/user/${name}${number + 2}`, { expire: '2026-01-01T00:00:00Z' });
  }
}
