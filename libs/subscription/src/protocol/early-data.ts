const EARLY_DATA = /([?&])ed=(\d{1,9})(?=&|$)&?/;

/** The `ed` that the engine and mihomo read from a websocket path, and the path without it. */
export function splitEarlyData(path: string): { readonly path: string; readonly maxEarlyData: number } {
  const [, , bytes = '0'] = EARLY_DATA.exec(path) ?? [];
  return { path: path.replace(EARLY_DATA, '$1').replace(/[?&]$/, ''), maxEarlyData: Number(bytes) };
}
