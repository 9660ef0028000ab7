import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/feedback/notice';

interface Finding {
  path?: string | null;
  message: string;
}

/** What the server says about a text: why it would refuse it, and its warnings. */
export function Findings({ errors, warnings }: { errors: readonly Finding[]; warnings: readonly Finding[] }) {
  const { t } = useTranslation();
  if (errors.length + warnings.length === 0) return <Notice tone="good" title={t('cores.fine')} />;
  const lines = [
    ...errors.map((one) => ({ ...one, tone: 'bad' as const })),
    ...warnings.map((one) => ({ ...one, tone: 'warning' as const })),
  ];
  return (
    <Stack gap="xs">
      {lines.map(({ path, message, tone }) => (
        <Notice key={`${path} ${message}`} tone={tone}>
          <div dir="ltr">
            {path && <strong>{path}: </strong>}
            {message}
          </div>
        </Notice>
      ))}
    </Stack>
  );
}
