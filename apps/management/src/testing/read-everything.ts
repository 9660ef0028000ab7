import { SUBSCRIPTION_FORMATS } from '@rampart/subscription';
import { OpenApiService } from '../openapi/open-api.service.js';
import { AnswerChecker, JSON_TYPE } from '../openapi/testing/answer-checker.js';
import type { TestManagement } from './test-management.js';

/** Values of path parameters. */
export interface Subjects {
  username: string;
  /** The subscription token of that user. */
  token: string;
  [parameter: string]: string;
}

interface Reading {
  path: string;
  url: string;
  /** Whether the answer is always JSON with a schema in the document. */
  isJson: boolean;
}

/** Paths that are answered by nodes or the machine, and those that return no JSON of ours. */
const EXCLUDED_PATHS = /realtime|online_stats|openapi|docs|\/system|\/health/;
/** More would wait for a connection to the database, longer than it may on a busy machine. */
const AT_ONCE = 8;
const ALWAYS = new Set(['/sub/{token}', '/api/settings']);
/** Headers of a browser. */
const BROWSER = { accept: 'text/html', 'user-agent': 'Mozilla/5.0' };

/** Requests every GET route: lists, single objects, subscriptions in every format, and pages. */
export class ReadEverything {
  private constructor(
    private readonly management: TestManagement,
    private readonly checker: AnswerChecker,
    private readonly paths: readonly Omit<Reading, 'url'>[],
  ) {}

  static async of(management: TestManagement): Promise<ReadEverything> {
    const document = await management.app.get(OpenApiService).document();
    const paths = Object.entries(document.paths).flatMap(([path, { get }]) => {
      const types = Object.keys(get?.responses['200']?.content ?? {});
      const isRead = get && !types.includes('text/event-stream') && !EXCLUDED_PATHS.test(path);
      return isRead ? [{ path, isJson: types.join() === JSON_TYPE }] : [];
    });
    return new ReadEverything(management, new AnswerChecker(document), paths);
  }

  /**
   * Requests the paths that match `meant`, and returns answers with status 5xx or of another form than the document
   * says.
   * @param turn requests only each `turn.of`th path and format, beginning with another one for each `turn.at`, and those
   * in ALWAYS
   */
  async problems(subjects: Subjects, meant = /./, turn = { of: 1, at: 0 }): Promise<string[]> {
    const wanted = this.readings(subjects)
      .filter(({ path }) => meant.test(path))
      .filter(({ path }, index) => ALWAYS.has(path) || index % turn.of === turn.at % turn.of);
    const page = await this.management.app.inject({ url: `/sub/${subjects.token}`, headers: BROWSER });
    const found: string[] = [];
    while (wanted.length > 0) {
      const answers = wanted.splice(0, AT_ONCE).map((reading) => this.problemsOf(reading));
      found.push(...(await Promise.all(answers)).flat());
    }
    if (page.statusCode >= 500) found.push(`the page: ${page.statusCode} ${page.payload}`);
    return found;
  }

  private readings(subjects: Subjects): Reading[] {
    return this.paths.flatMap(({ path, isJson }) => {
      const formats = path.includes('{format}') ? SUBSCRIPTION_FORMATS : [''];
      return formats.map((format) => {
        const values: Record<string, string> = { ...subjects, format };
        return { path, isJson, url: path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '1') };
      });
    });
  }

  private async problemsOf({ path, url, isJson }: Reading): Promise<string[]> {
    const answer = await this.management.request('GET', url);
    if (answer.status >= 500) return [`GET ${url}: ${answer.status} ${answer.text}`];
    if (!isJson) return [];
    return this.checker.problems({ method: 'GET', path }, answer).map((problem) => `GET ${url}: ${problem}`);
  }
}
