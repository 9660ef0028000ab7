// Clicks and keys on the ways that operators take most, with a slow processor.

const menu = (path) => (page) => page.locator(`nav a[href='/dashboard${path}']`).click();
const NO_DIALOG = 'body:not(:has([role=dialog]))';
const press = (key) => (page) => page.keyboard.press(key);

const CLICKS = [
  ['a user', (page) => page.locator('[data-row] a').nth(3).click(), '[role=dialog] [role=tab]'],
  ['its end', press('Escape'), NO_DIALOG],
  ['new user', (page) => page.getByRole('button', { name: 'New user' }).click(), '[role=dialog] input'],
  ['its end', press('Escape'), NO_DIALOG],
  ['the palette', press('Control+k'), '[role=dialog] input'],
  ['its end', press('Escape'), NO_DIALOG],
  ['the page of nodes', menu('/nodes'), 'h1'],
  ['the page of hosts', menu('/hosts'), 'h1'],
  ['the page of groups', menu('/groups'), 'h1'],
  ['the overview', menu('/'), 'h1'],
  ['the list of users', menu('/users'), '[data-row] a'],
];

/** Returns a row of the table for each click: how soon the page shows that it has reacted. */
export async function measureClicks(open) {
  const page = await open('/users?sort=username', { slowProcessor: true });
  await page.firstRowMs();
  const rows = [];
  for (const [name, act, selector] of CLICKS) {
    const value = await page.reactionMs(act, selector);
    if (name !== 'its end') rows.push({ what: `reaction to a click: ${name}`, value, unit: 'ms', goal: 200 });
  }
  await page.close();
  return rows;
}
