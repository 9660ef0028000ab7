import { useTranslation } from 'react-i18next';
import { changedNames } from '../../api/changed-names';
import type { AuditEntry } from './audit-log';
import classes from './audit-table.module.css';

/** So many fit below the name of an object. */
const SHOWN = 4;

/** The names of the members that an entry has changed, as the API calls them. */
export function MemberNames({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation();
  const members = changedNames(entry);
  if (members.length === 0) return null;
  const more = members.length - SHOWN;
  return (
    <div className={classes.members}>
      <bdi dir="ltr">{members.slice(0, SHOWN).join(', ')}</bdi>
      {more > 0 && ` · ${t('overview.more', { count: more })}`}
    </div>
  );
}
