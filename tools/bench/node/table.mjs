const COLUMNS = ['', 'node', 'engine alone', 'ratio', 'goal'];

/** The rows below one another, in columns. */
export function table(rows) {
  const cells = rows.map(({ what, node, engine, unit = 'ms', goal }) => [
    what,
    figure(node, unit),
    figure(engine, unit),
    node === undefined || engine === undefined ? '' : `${(node / engine).toFixed(2)} ×`,
    goal,
  ]);
  const widths = COLUMNS.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) =>
        column === 0 || column === 4 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
      )
      .join('  ')
      .trimEnd();
  return [COLUMNS, ...cells].map(line).join('\n');
}

function figure(value, unit) {
  if (value === undefined) return '';
  return `${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en')} ${unit}`;
}
