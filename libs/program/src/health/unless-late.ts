/**
 * Waits for work at most for a time. Work that takes longer goes on, and its result is ignored.
 *
 * @throws Error when it takes longer, or what the work throws.
 */
export async function unlessLate<T>(work: () => Promise<T> | T, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([Promise.resolve().then(work), late]);
  } finally {
    clearTimeout(timer);
  }
}
