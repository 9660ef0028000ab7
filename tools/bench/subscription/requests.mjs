// What is asked for, and how many answers each second are the goal.

const format = (name, goal) => ({ what: name, path: `/sub/{token}/${name}`, goal });

export const REQUESTS = [
  format('links', 5400),
  format('links_base64'),
  format('xray'),
  format('sing_box', 5400),
  format('clash_meta', 3000),
  format('clash'),
  format('outline'),
  // None but the last of the rules knows it.
  { what: 'by User-Agent', path: '/sub/{token}', headers: { 'user-agent': 'v2rayNG/1.10.27' } },
  { what: 'page', path: '/sub/{token}', headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' } },
];

/** Milliseconds after which 99 of a hundred answers are there. */
export const GOAL_P99 = 20;
