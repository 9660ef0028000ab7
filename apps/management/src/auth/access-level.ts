import { SetMetadata } from '@nestjs/common';

export const ACCESS_LEVEL = 'rampart:access-level';
export type AccessLevel = 'sudo' | 'admin' | 'public';

/** Who may call a route. Every route carries exactly one of these; one without is closed to all. */
export const Sudo = () => SetMetadata(ACCESS_LEVEL, 'sudo' satisfies AccessLevel);
export const AnyAdmin = () => SetMetadata(ACCESS_LEVEL, 'admin' satisfies AccessLevel);
export const Public = () => SetMetadata(ACCESS_LEVEL, 'public' satisfies AccessLevel);
