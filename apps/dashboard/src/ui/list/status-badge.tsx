import type { Tone } from '../tone';
import classes from './status-badge.module.css';

/** A word with a colour for a state; the word alone says it too. */
export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <span className={classes.badge} data-tone={tone}>
      {children}
    </span>
  );
}
