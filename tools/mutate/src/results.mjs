import { columns } from '../../bench/columns.mjs';

/** Outcomes that the tests could have turned into another; mutants that do not compile are not counted. */
const NOTICED = ['Killed', 'Timeout'];
const MISSED = ['Survived', 'NoCoverage'];

const HEADINGS = ['package', 'mutants', 'killed', 'timed out', 'survived', 'untested', 'score'];

/** The mutants that no test noticed, by file and line, each with what stands there instead. */
export function survivorsOf(results) {
  const survivors = results.flatMap(({ mutants }) => mutants).filter(({ status }) => MISSED.includes(status));
  const lines = survivors
    .sort((one, other) => one.file.localeCompare(other.file) || compareStarts(one.location.start, other.location.start))
    .map(({ file, location: { start }, mutatorName, replacement, status }) => {
      const change = `${mutatorName}: ${replacement.replace(/\s+/g, ' ')}`;
      return `${file}:${start.line}:${start.column}  ${change}${status === 'NoCoverage' ? ' (no test comes here)' : ''}\n`;
    });
  return lines.join('');
}

/** How many mutants the tests noticed, by package. */
export function tableOf(results) {
  const rows = results.map(({ folder, mutants }) => {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    const [noticed, missed] = [count(...NOTICED), count(...MISSED)];
    const score = noticed + missed > 0 ? `${((noticed * 100) / (noticed + missed)).toFixed(1)} %` : '';
    return [
      folder,
      noticed + missed,
      count('Killed'),
      count('Timeout'),
      count('Survived'),
      count('NoCoverage'),
      score,
    ].map(String);
  });
  return `${columns(HEADINGS, rows)}\n`;
}

const compareStarts = (one, other) => one.line - other.line || one.column - other.column;
