import { useTranslation } from 'react-i18next';
import { useFormat } from '../../ui/i18n/format';
import { Facts } from '../../ui/list/facts';
import classes from './audit-difference.module.css';
import type { AuditEntry } from './audit-log';

/** A value as a person reads it: texts as they are, with their lines. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));

/** An entry of the log in full: when, from where, and every member with what it was before and after. */
export function AuditDetails({ entry }: { entry: AuditEntry }) {
  const { at, address, token, session_id: login, action, target, difference } = entry;
  const { t } = useTranslation();
  const format = useFormat();
  const members = Object.entries(difference);
  return (
    <div className={classes.frame}>
      <Facts
        facts={[
          { name: t('audit.at'), value: format.moment(at) },
          { name: t('audit.address'), value: <bdi>{address ?? '–'}</bdi> },
          ...(token === null ? [] : [{ name: t('audit.token'), value: <bdi>{`${token.name} (${token.id})`}</bdi> }]),
          ...(login === null ? [] : [{ name: t('audit.login'), value: <bdi>{login}</bdi> }]),
          { name: t('audit.inLog'), value: <bdi dir="ltr">{`${action} ${target}`}</bdi> },
        ]}
      />
      {members.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroller must be reachable by keyboard
        <section aria-label={t('audit.difference')} tabIndex={0} dir="ltr" className={classes.members}>
          <dl style={{ margin: 0 }}>
            {members.map(([path, change]) => (
              <div key={path}>
                <dt>{path}</dt>
                <dd>
                  {Object.hasOwn(change, 'before') && (
                    <del className={classes.value} data-side="before">
                      {textOf(change.before)}
                    </del>
                  )}
                  {Object.hasOwn(change, 'after') && (
                    <ins className={classes.value} data-side="after">
                      {textOf(change.after)}
                    </ins>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}
    </div>
  );
}
