import { unlessLate } from './unless-late.js';

/**
 * Checks one part of a program: returns why the part does not work, or undefined when it works. Everybody may read the
 * reason, so it must not contain secrets, addresses or names.
 */
export type HealthCheck = () => Promise<string | undefined> | string | undefined;

/** Whether a program can do its work. */
export interface HealthReport {
  /** `ok` when every part works. */
  readonly status: 'ok' | 'unavailable';
  /** The parts by name. */
  readonly parts: Readonly<Record<string, PartReport>>;
}

/** Whether one part of a program works. */
export interface PartReport {
  /** `ok` when the part works. */
  readonly status: 'ok' | 'unavailable';
  /** Why the part does not work; absent when it does. */
  readonly reason?: string;
}

/** Longest time of a check in ms. */
const CHECK_MS = 3_000;
/** How long a result is used again, in ms: anybody may ask, as often as they like. */
const REUSE_MS = 1_000;

/** Whether the parts of a program work, as load balancers and service managers ask. */
export class Health {
  private last?: { readonly at: number; readonly report: Promise<HealthReport> };

  /**
   * @param checks one check for each part, by its name.
   * @param now returns a monotonic time in ms.
   * @param checkMs the time in ms after which a check counts as failed.
   */
  constructor(
    private readonly checks: Readonly<Record<string, HealthCheck>>,
    private readonly now = (): number => performance.now(),
    private readonly checkMs = CHECK_MS,
  ) {}

  /** Checks all parts. Who asks within a second gets the same report. */
  report(): Promise<HealthReport> {
    const at = this.now();
    if (this.last === undefined || at - this.last.at >= REUSE_MS) this.last = { at, report: this.checkAll() };
    return this.last.report;
  }

  private async checkAll(): Promise<HealthReport> {
    const reasons = await Promise.all(
      Object.entries(this.checks).map(async ([part, check]) => [part, await this.reasonOf(check)] as const),
    );
    const parts = reasons.map(
      ([part, reason]) => [part, reason === undefined ? OK : ({ status: 'unavailable', reason } as const)] as const,
    );
    const isOk = reasons.every(([, reason]) => reason === undefined);
    return { status: isOk ? 'ok' : 'unavailable', parts: Object.fromEntries(parts) };
  }

  private async reasonOf(check: HealthCheck): Promise<string | undefined> {
    try {
      return await unlessLate(check, this.checkMs);
    } catch {
      return `the check failed, or took longer than ${this.checkMs / 1000} s`;
    }
  }
}

const OK = { status: 'ok' } as const;

/** The HTTP status of a report. */
export const healthStatus = ({ status }: HealthReport): 200 | 503 => (status === 'ok' ? 200 : 503);
