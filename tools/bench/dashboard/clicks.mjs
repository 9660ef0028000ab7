// Clicks and keys on the ways that operators take most, with a slow processor.
import { medians } from './medians.mjs';

const menu = (path) => (page) => page.locator(`nav a[href='/dashboard${path}']`).click();
const NO_DIALOG = 'body:not(:has([role=dialog]))';
const END = 'its end';
const press = (key) => (page) => page.keyboard.press(key);

const CLICKS = [
  ['a user', (page) => page.locator('[data-row] a').nth(3).click(), '[role=dialog] [role=tab]'],
  [END, press('Escape'), NO_DIALOG],
  ['new user', (page) => page.getByRole('button', { name: 'New user' }).click(), '[role=dialog] input'],
  [END, press('Escape'), NO_DIALOG],
  ['the palette', press('Control+k'), '[role=dialog] input'],
  [END, press('Escape'), NO_DIALOG],
  ['the page of nodes', menu('/nodes'), 'h1'],
  ['the page of hosts', menu('/hosts'), 'h1'],
  ['the page of groups', menu('/groups'), 'h1'],
  ['the overview', menu('/'), 'h1'],
  ['the list of users', menu('/users'), '[data-row] a'],
];

/** Returns a row of the table for each click: how soon the page shows that it has reacted, the median of so many rounds. */
export async function measureClicks(open, rounds) {
  const times = await medians(rounds, async () => {
    const page = await open('/users?sort=username', { slowProcessor: true });
    await page.firstRowMs();
    const found = {};
    for (const [name, act, selector] of CLICKS) found[name] = await page.reactionMs(act, selector);
    await page.close();
    return found;
  });
  return Object.entries(times)
    .filter(([name]) => name !== END)
    .map(([name, value]) => ({ what: `reaction to a click: ${name}`, value, unit: 'ms', goal: 200 }));
}
