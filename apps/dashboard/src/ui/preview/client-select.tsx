import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { PREVIEW_CLIENTS } from './preview-clients';

interface Props {
  value: string;
  onChange: (client: string) => void;
  /** User-Agents that have fetched the subscription. */
  seen?: readonly string[];
}

/** The choice of a client program; one that was seen is named by its User-Agent. */
export function ClientSelect({ value, onChange, seen = [] }: Props) {
  const { t } = useTranslation();
  const known = [...new Set(seen)].filter((agent) => agent !== '').map((agent) => ({ value: agent, label: agent }));
  return (
    <Select
      label={t('preview.client')}
      value={value}
      onChange={(next) => onChange(next ?? value)}
      searchable
      allowDeselect={false}
      data={[
        ...(known.length > 0 ? [{ group: t('preview.seen'), items: known }] : []),
        { group: t('preview.programs'), items: PREVIEW_CLIENTS },
      ]}
    />
  );
}
