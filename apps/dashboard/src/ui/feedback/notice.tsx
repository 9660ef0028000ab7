import type { ReactNode } from 'react';
import type { Tone } from '../tone';
import classes from './notice.module.css';

interface Props {
  tone: Tone;
  title?: ReactNode;
  /** Whether it is read out as soon as it appears. */
  isAlert?: boolean;
  children?: ReactNode;
}

/** A message in its place on the page. */
export function Notice({ tone, title, isAlert = false, children }: Props) {
  return (
    <div className={classes.notice} data-tone={tone} role={isAlert ? 'alert' : undefined}>
      {title !== undefined && <strong className={classes.title}>{title}</strong>}
      {children}
    </div>
  );
}
