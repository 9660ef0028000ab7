import { generate } from 'lean-qr';
import { useMemo } from 'react';
import classes from './qr-code.module.css';

const QUIET_ZONE = 4;

/** A QR code as a drawing, black on white in both colour schemes, because scanners want it so. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = useMemo(() => drawing(text), [text]);
  return (
    <svg className={classes.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} data-text={text}>
      <path d={path} />
    </svg>
  );
}

function drawing(text: string): { path: string; size: number } {
  const code = generate(text);
  let path = '';
  for (let y = 0; y < code.size; y++)
    for (let x = 0; x < code.size; x++) if (code.get(x, y)) path += `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`;
  return { path, size: code.size + 2 * QUIET_ZONE };
}
