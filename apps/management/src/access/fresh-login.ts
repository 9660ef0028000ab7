import type { Actor } from './actor.js';

const FRESH_MINUTES = 10;

/** Whether the admin has shown its password, and its second factor if it has one, within the last ten minutes. */
export const isFresh = ({ authenticatedAt }: Actor): boolean =>
  authenticatedAt !== undefined && Date.now() - authenticatedAt.getTime() <= FRESH_MINUTES * 60_000;
