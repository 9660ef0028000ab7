/** Whether a mask of `finalmask.tcp` only sends in pieces, which nobody has to take off. */
export const isFragment = (mask: unknown): boolean => String(Object(mask).type).toLowerCase() === 'fragment';
