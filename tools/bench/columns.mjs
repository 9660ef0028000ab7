/** Formats a table of text. The first column and the one named `left` are aligned to the left, the others to the right. */
export function columns(names, rows, left) {
  const widths = names.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column].length)));
  const cell = (text, column) =>
    column === 0 || names[column] === left ? text.padEnd(widths[column]) : text.padStart(widths[column]);
  return [names, ...rows].map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}

export function figure(value, unit = 'ms') {
  if (value === undefined) return '';
  return `${value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en')} ${unit}`;
}
