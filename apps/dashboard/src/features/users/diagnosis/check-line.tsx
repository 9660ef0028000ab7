import { Button, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFormat } from '../../../ui/i18n/format';
import { wordsOf } from '../../../ui/i18n/words';
import { IconAlert, IconCheck, IconClose, IconHelp } from '../../../ui/icons';
import type { Check, Note, Place, Remedy, Verdict } from './check';
import classes from './why.module.css';

const ICONS: Readonly<Record<Verdict, typeof IconCheck>> = {
  ok: IconCheck,
  bad: IconClose,
  warning: IconAlert,
  unknown: IconHelp,
};

const REMEDY_WORDS = { enable: 'common.enable', edit: 'common.edit', reset: 'users.reset' } as const;

/** One check in a sentence, with what to do about it. */
export function CheckLine({ check: line, onRemedy }: { check: Check; onRemedy: (remedy: Remedy) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const { check, verdict, reason, values, notes, remedies, place } = line;
  const Icon = ICONS[verdict];
  const shown = {
    ...values,
    ...(values['at'] && { at: format.relative(values['at']) }),
    ...(values['status'] && { status: wordsOf(`users.status.${values['status']}`) ?? values['status'] }),
  };
  const sentence =
    reason === 'follows' ? t('users.follows') : wordsOf(`users.checks.${check}.${reason ?? verdict}`, shown);
  return (
    <li className={classes.check} data-verdict={verdict}>
      <Icon size={18} aria-label={t(`users.verdicts.${verdict}`)} />
      <div>
        <strong>{t(`users.checks.${check}.title`)}</strong>
        <div>{sentence ?? t('users.notVisible')}</div>
        {notes?.map((note) => (
          <NoteLine key={'id' in note ? note.id : note.reason} check={check} note={note} />
        ))}
        {(remedies || place) && (
          <Group gap="xs" mt={6}>
            {remedies?.map((remedy) => (
              <Button key={remedy} size="compact-sm" variant="default" onClick={() => onRemedy(remedy)}>
                {t(REMEDY_WORDS[remedy])}
              </Button>
            ))}
            {place && <PlaceLink place={place} />}
          </Group>
        )}
      </div>
    </li>
  );
}

function NoteLine({ check, note }: { check: Check['check']; note: Note }) {
  const { t } = useTranslation();
  if ('reason' in note && note.reason === 'awaited') return <div>{`${t('nodes.awaited')}: ${note.names}`}</div>;
  if ('reason' in note) return <div>{wordsOf(`users.checks.${check}.${note.reason}`, { names: note.names })}</div>;
  return (
    <div>
      <bdi>{note.name}</bdi>
      {note.said !== '' && (
        <>
          : <bdi dir="ltr">{note.said}</bdi>
        </>
      )}
    </div>
  );
}

function PlaceLink({ place }: { place: Place }) {
  const { t } = useTranslation();
  const look = { size: 'compact-sm', variant: 'default' } as const;
  if (place.to === '/cores/$id')
    return (
      <Button {...look} renderRoot={(props) => <Link {...props} to={place.to} params={{ id: `${place.id}` }} />}>
        {t('users.openCore')}
      </Button>
    );
  return (
    <Button {...look} renderRoot={(props) => <Link {...props} to={place.to} />}>
      {t(place.to === '/hosts' ? 'nav.hosts' : 'nav.nodes')}
    </Button>
  );
}
