import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../../ui/feedback/empty-state';

/** Stands where the address names no page. */
export function NotFound() {
  const { t } = useTranslation();
  return (
    <EmptyState title={t('shell.notFoundTitle')} text={t('shell.notFoundText')}>
      <Button renderRoot={(props) => <Link {...props} to="/" />}>{t('shell.home')}</Button>
    </EmptyState>
  );
}
