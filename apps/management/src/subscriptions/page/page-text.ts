import type { UserStatus } from '@rampart/domain';

export const PAGE_LANGUAGES = ['en', 'fa'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

interface PageText {
  readonly direction: 'ltr' | 'rtl';
  /** The name of the other language, in that language. */
  readonly other: string;
  readonly status: Readonly<Record<UserStatus, string>>;
  readonly used: string;
  readonly of: string;
  readonly unlimited: string;
  readonly expires: string;
  readonly never: string;
  readonly afterFirstUse: string;
  readonly subscription: string;
  readonly subscriptionHint: string;
  readonly copy: string;
  readonly copied: string;
  readonly code: string;
  readonly addTo: string;
  readonly recommended: string;
  readonly servers: string;
  readonly noServers: string;
  readonly support: string;
}

export const PAGE_TEXTS: Readonly<Record<PageLanguage, PageText>> = {
  en: {
    direction: 'ltr',
    other: 'فارسی',
    status: {
      active: 'Active',
      expired: 'Expired',
      limited: 'Limit reached',
      disabled: 'Disabled',
      on_hold: 'Waiting',
    },
    used: 'Used',
    of: 'of',
    unlimited: 'unlimited',
    expires: 'Expires',
    never: 'never',
    afterFirstUse: 'starts with the first connection',
    subscription: 'Subscription',
    subscriptionHint: 'Add this link to your app: it keeps all servers up to date.',
    copy: 'Copy',
    copied: 'Copied',
    code: 'QR code',
    addTo: 'Add to an app',
    recommended: 'recommended',
    servers: 'Servers',
    noServers: 'There is no server for you at the moment.',
    support: 'Support',
  },
  fa: {
    direction: 'rtl',
    other: 'English',
    status: {
      active: 'فعال',
      expired: 'منقضی شده',
      limited: 'حجم تمام شده',
      disabled: 'غیرفعال',
      on_hold: 'در انتظار اتصال',
    },
    used: 'مصرف',
    of: 'از',
    unlimited: 'نامحدود',
    expires: 'انقضا',
    never: 'بدون انقضا',
    afterFirstUse: 'با نخستین اتصال آغاز می‌شود',
    subscription: 'لینک اشتراک',
    subscriptionHint: 'این لینک را به برنامهٔ خود اضافه کنید تا سرورها همیشه به‌روز باشند.',
    copy: 'کپی',
    copied: 'کپی شد',
    code: 'کد QR',
    addTo: 'افزودن به برنامه',
    recommended: 'پیشنهادی',
    servers: 'سرورها',
    noServers: 'در حال حاضر سروری برای شما نیست.',
    support: 'پشتیبانی',
  },
};

/** The first language of `Accept-Language` in which the page exists. */
export function preferredLanguage(acceptLanguage = ''): PageLanguage {
  const names = acceptLanguage
    .slice(0, 256)
    .split(',', 20)
    .map((part) => part.trim().slice(0, 2).toLowerCase());
  return (
    names.map((name) => PAGE_LANGUAGES.find((known) => known === name)).find((known) => known !== undefined) ?? 'en'
  );
}
