import { relative } from 'node:path';

/** A reporter for jest that names the tests that were skipped at the end of a run; jest itself only counts them. */
export default class SkippedReporter {
  constructor({ testNamePattern }) {
    this.isFiltered = Boolean(testNamePattern);
  }

  onRunComplete(_contexts, { testResults }) {
    // Whoever runs tests by their names does not ask for the others.
    if (this.isFiltered) return;
    const lines = testResults.flatMap(({ testFilePath, testResults: tests }) => {
      const skipped = tests.filter(({ status }) => status === 'pending');
      // Of a file that is skipped as a whole the title of its parts is enough: it says why.
      const isWhole = skipped.length === tests.length;
      const titles = skipped.map(({ ancestorTitles, fullName }) => (isWhole && ancestorTitles[0]) || fullName);
      return [...new Set(titles)].map((title) => `  ${relative(process.cwd(), testFilePath)}: ${title}`);
    });
    if (lines.length > 0) process.stderr.write(`\nSkipped:\n${lines.join('\n')}\n`);
  }
}
