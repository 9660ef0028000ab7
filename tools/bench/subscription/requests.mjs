// The measured requests, and the goal in answers per second.

const format = (name, goal) => ({ what: name, path: `/sub/{token}/${name}`, goal });

export const REQUESTS = [
  format('links', 5400),
  format('links_base64'),
  format('xray'),
  format('sing_box', 5400),
  format('clash_meta', 3000),
  format('clash'),
  format('outline'),
  // Only the last rule matches this User-Agent, so all rules are tried.
  { what: 'by User-Agent', path: '/sub/{token}', headers: { 'user-agent': 'v2rayNG/1.10.27' } },
  { what: 'page', path: '/sub/{token}', headers: { accept: 'text/html', 'user-agent': 'Mozilla/5.0' } },
];

/** Goal for the 99th percentile of the latency, in milliseconds. */
export const GOAL_P99 = 20;
