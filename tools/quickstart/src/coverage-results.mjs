import { columns } from '../../bench/columns.mjs';

/** What the tests of some packages reached, by package: of `coverage-summary.json`, with paths relative to the repository. */
export function coverageTable(folders, summary) {
  const rows = folders.map((folder) => {
    const files = Object.entries(summary).filter(([file]) => file.startsWith(`${folder}/`));
    const share = (kind) => {
      const sum = (count) => files.reduce((total, [, file]) => total + file[kind][count], 0);
      const total = sum('total');
      return [total, total === 0 ? '' : `${((sum('covered') * 100) / total).toFixed(1)} %`].map(String);
    };
    return [folder, String(files.length), ...share('lines'), ...share('branches')];
  });
  return columns(['package', 'files', 'lines', 'reached', 'branches', 'taken'], rows);
}

/** The lines that no test reached, by file: of `coverage-final.json`, with paths relative to the repository. */
export function unreachedLines(coverage) {
  return Object.entries(coverage)
    .map(([file, { statementMap, s }]) => {
      const reached = new Set();
      const unreached = new Set();
      for (const [id, { start, end }] of Object.entries(statementMap))
        for (let line = start.line; line <= end.line; line += 1) (s[id] > 0 ? reached : unreached).add(line);
      return [file, [...unreached].filter((line) => !reached.has(line)).sort((one, other) => one - other)];
    })
    .filter(([, lines]) => lines.length > 0)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([file, lines]) => `${file}: ${ranges(lines).join(', ')}\n`)
    .join('');
}

function ranges(lines) {
  const found = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last?.end === line - 1) last.end = line;
    else found.push({ start: line, end: line });
  }
  return found.map(({ start, end }) => (start === end ? `${start}` : `${start}-${end}`));
}
