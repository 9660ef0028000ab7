const LOOPBACK =
  /^(?:(?:.+\.)?localhost|127(?:\.\d{1,3}){1,3}|::1|::ffff:127(?:\.\d{1,3}){3}|::ffff:7f[\da-f]{2}:[\da-f]{1,4}|0\.0\.0\.0|::)\.?$/i;

/** Whether an address, with brackets or without them, leads every machine to itself. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(address.replace(/^\[(.*)\]$/, '$1'));

/** Whether a link leads every machine that opens it to itself. */
export const isLoopbackUrl = (url: string): boolean => URL.canParse(url) && isLoopback(new URL(url).hostname);
