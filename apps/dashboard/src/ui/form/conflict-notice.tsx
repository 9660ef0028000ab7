import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Notice } from '../feedback/notice';
import { Facts } from '../list/facts';

interface Props {
  /** What somebody else has changed, by the names of fields. */
  changed: object;
  /** The label of a field; undefined where the form has none of this name. */
  labelOf: (name: string) => string | undefined;
  onOverwrite: () => void;
  isBusy: boolean;
}

/** Says that somebody else has saved the object since the form was opened, and what is different now. */
export function ConflictNotice({ changed, labelOf, onOverwrite, isBusy }: Props) {
  const { t } = useTranslation();
  const facts = Object.entries(changed).map(([name, value]) => ({
    name: labelOf(name) ?? name,
    value: <bdi>{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>,
  }));
  return (
    <Notice tone="warning" isAlert title={t('form.conflictTitle')}>
      {t('form.conflictText')}
      {facts.length > 0 && <Facts facts={facts} />}
      <Group mt="xs">
        <Button size="xs" variant="default" onClick={onOverwrite} loading={isBusy}>
          {t('form.overwrite')}
        </Button>
      </Group>
    </Notice>
  );
}
