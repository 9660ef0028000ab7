/** SQL: the value of a counter. `users` is kept by a trigger on the table of users. */
export const counterValue = (name: 'revision' | 'config' | 'users'): string =>
  `(SELECT value FROM counters WHERE name = '${name}')`;
