import { randomBytes } from 'node:crypto';
import { CORE, GROUPS, HOSTS, NAMES, NOTES, SELLERS, seedCore, TEMPLATES } from './data.mjs';

/** The most users that one call makes from a template. */
const MAX_BATCH_USERS = 500;
/** Of this many users one gets a note, one is disabled and one is past its end. */
const EVERY = 25;

/** Brings management to `wanted` users; `api` speaks as a sudo admin. What exists by name is used again. */
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
    // Names that somebody has are skipped, and such users are not ours to change.
    if (created === count) await vary(api, name, next, count, template.onHold);
    made += created;
    next += count;
    print(`${made} of ${wanted} users`);
  }
  print(`Management has ${made} users.`);
}

/** How many users of a template come at a time, so that its share of all is kept also where there are few. */
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

/** Admins without sudo who own users. Those of an earlier run are left alone, because their passwords are not known. */
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

/** Gives some of the users a note, disables others and ends the time of others, as in any database that is in use. */
async function vary(api, name, first, count, onHold) {
  for (let number = first; number + 2 < first + count; number += EVERY) {
    await api.put(`/api/user/${name}${number}`, { note: NOTES[number % NOTES.length] });
    await api.put(`/api/user/${name}${number + 1}`, { status: 'disabled' });
    if (!onHold) await api.put(`/api/user/${name}${number + 2}`, { expire: '2026-01-01T00:00:00Z' });
  }
}
