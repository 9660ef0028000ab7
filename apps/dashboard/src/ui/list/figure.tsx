import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './figure.module.css';

/** One number with its name; until it is here, its place is kept. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <div className={classes.figure}>
      <span className={classes.name}>{name}</span>
      <span className={classes.value}>
        {value === undefined ? <Skeleton height={28} w={80} /> : <bdi>{value}</bdi>}
      </span>
      {note !== undefined && <span className={classes.name}>{note}</span>}
    </div>
  );
}
