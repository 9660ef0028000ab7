/** Whether a mask of `finalmask.tcp` only splits what is sent, so that the other side needs no such mask. */
export const isFragment = (mask: unknown): boolean => String(Object(mask).type).toLowerCase() === 'fragment';
