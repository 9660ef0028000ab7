import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/i18n/format';
import { SimpleTable } from '../../ui/list/simple-table';
import { actionWords, actorWords } from './audit-actions';
import { AuditDetails } from './audit-details';
import type { AuditEntry } from './audit-log';
import { type NamedObject, objectName } from './audit-objects';
import classes from './audit-table.module.css';
import { MemberNames } from './member-names';

const PHONE = '(max-width: 48em)';

/** Entries of the log of changes, each of which can be opened. */
export function AuditTable({ entries, objects }: { entries: AuditEntry[]; objects: readonly NamedObject[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const isPhone = useMediaQuery(PHONE, false, { getInitialValueInEffect: false });
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (id: number) =>
    setOpen((now) => new Set(now.has(id) ? [...now].filter((one) => one !== id) : [...now, id]));
  const actorOf = (entry: AuditEntry) => <bdi>{actorWords(entry)}</bdi>;
  return (
    <SimpleTable
      label={t('nav.audit')}
      rows={entries}
      rowKey={({ id }) => id}
      below={(entry) => open.has(entry.id) && <AuditDetails entry={entry} />}
      columns={[
        {
          id: 'at',
          header: t('audit.at'),
          cell: (entry) => (
            <div className={classes.when}>
              <span title={format.moment(entry.at)}>{format.relative(entry.at)}</span>
              {isPhone && <div className={classes.quiet}>{actorOf(entry)}</div>}
            </div>
          ),
        },
        {
          id: 'actor',
          header: t('audit.actor'),
          isWide: true,
          cell: (entry) => (
            <div className={classes.who}>
              {actorOf(entry)}
              {entry.token && (
                <div className={classes.quiet}>
                  <bdi>{entry.token.name}</bdi>
                </div>
              )}
            </div>
          ),
        },
        {
          id: 'action',
          header: t('audit.action'),
          cell: (entry) => (
            <div className={classes.what} title={`${entry.action} ${entry.target}`}>
              <strong>
                <bdi>{actionWords(entry.action)}</bdi>
              </strong>
              <div>
                <bdi>{objectName(entry, objects)}</bdi>
              </div>
              <MemberNames entry={entry} />
            </div>
          ),
        },
        {
          id: 'address',
          header: t('audit.address'),
          isWide: true,
          cell: ({ address }) => (
            <div className={classes.who}>
              <bdi>{address ?? '–'}</bdi>
            </div>
          ),
        },
        {
          id: 'difference',
          header: t('audit.difference'),
          cell: ({ id }) => (
            <Button size="xs" variant="default" aria-expanded={open.has(id)} onClick={() => toggle(id)}>
              {open.has(id) ? t('audit.hide') : t('audit.show')}
            </Button>
          ),
        },
      ]}
    />
  );
}
