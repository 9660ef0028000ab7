import type { UserStatus } from '@rampart/domain';
import type { HostState } from '../../../hosts/host-health.entity.js';
import type { ClientApplication } from '../../../settings/client-application.dto.js';

/** How a system asks its users for rights, so that the page can say what to expect. */
export type PlatformFamily = 'android' | 'apple' | 'desktop';

/**
 * All words of the page in one language. Names in braces are places for values: `{app}` an application, `{title}` the title
 * of the subscription, `{servers}` their number, `{platform}` a platform.
 */
export interface PageText {
  readonly direction: 'ltr' | 'rtl';
  /** The name of the language, in that language. */
  readonly name: string;
  /** The locale by which numbers and dates are written. */
  readonly locale: string;
  /** Units of sizes, from bytes to exabytes. */
  readonly units: readonly string[];
  readonly language: string;
  /** The title of the page where the operator has set none. */
  readonly title: string;
  readonly status: Readonly<Record<UserStatus, string>>;
  /** What users read who are not served at the moment. */
  readonly notice: Readonly<Record<Exclude<UserStatus, 'active'>, string>>;
  readonly usage: string;
  readonly used: string;
  /** `{percent}` of the limit is used. */
  readonly usedShare: string;
  /** `{used}` of `{limit}`. */
  readonly usedOf: string;
  readonly left: string;
  readonly unlimited: string;
  readonly timeLeft: string;
  /** The end is at `{date}`. */
  readonly until: string;
  /** The end was at `{date}`. */
  readonly ended: string;
  readonly noTimeLeft: string;
  readonly never: string;
  readonly afterFirstUse: string;
  readonly setUp: string;
  readonly device: string;
  readonly platforms: Readonly<Record<ClientApplication['platform'], string>>;
  readonly recommended: string;
  readonly install: string;
  readonly installExpect: Readonly<Record<PlatformFamily, string>>;
  readonly installSearch: string;
  readonly add: string;
  readonly addTo: string;
  readonly addExpect: string;
  readonly addFallback: string;
  readonly addByCopy: string;
  readonly connect: string;
  readonly connectExpect: Readonly<Record<PlatformFamily, string>>;
  readonly otherApps: string;
  readonly subscription: string;
  readonly subscriptionHint: string;
  readonly copy: string;
  readonly copied: string;
  readonly code: string;
  readonly scan: string;
  readonly history: string;
  readonly historyTotal: string;
  /** The most on one day were `{size}`, on `{date}`. */
  readonly historyMost: string;
  readonly historyNone: string;
  readonly today: string;
  readonly servers: string;
  readonly serverStates: Readonly<Record<Exclude<HostState, 'unknown'>, string>>;
  readonly serverLink: string;
  readonly noServers: string;
  readonly support: string;
}
