import QRCode from 'qrcode';

const BLACK_ON_WHITE = '\x1b[30;107m';
const AS_BEFORE = '\x1b[0m';

/**
 * Renders a QR code in half blocks, with the margin of four modules that scanners expect.
 *
 * @param colours whether to set black on white, whatever the colours of the terminal are.
 */
export async function qrCode(text: string, colours: boolean): Promise<string> {
  const code = await QRCode.toString(text, { type: 'utf8', margin: 4 });
  if (!colours) return code;
  return code
    .split('\n')
    .map((line) => BLACK_ON_WHITE + line + AS_BEFORE)
    .join('\n');
}
