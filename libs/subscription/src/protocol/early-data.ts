const EARLY_DATA = /([?&])ed=(\d{1,9})(?=&|$)&?/;

/** Splits a websocket path into the path itself and the early data limit of its parameter `ed`, in bytes; 0 = none. */
export function splitEarlyData(path: string): { readonly path: string; readonly maxEarlyData: number } {
  const [, , bytes = '0'] = EARLY_DATA.exec(path) ?? [];
  return { path: path.replace(EARLY_DATA, '$1').replace(/[?&]$/, ''), maxEarlyData: Number(bytes) };
}
