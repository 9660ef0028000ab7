import { Button, Stack } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from './notice';
import { messageOf } from './notify';
import { queryClient } from './query-client';

/** Says that something could not be shown and why, with a way to try again. */
export function ErrorPanel({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const { t } = useTranslation();
  return (
    <Notice tone="bad" isAlert title={t('common.notLoaded')}>
      <Stack gap="xs" align="flex-start">
        {messageOf(error)}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t('common.retry')}
          </Button>
        )}
      </Stack>
    </Notice>
  );
}

interface Props {
  children: ReactNode;
  /** A changed one tries again. */
  resetKey?: unknown;
  /** Loads anew what could not be shown; without it, everything that is shown. */
  reload?: () => unknown;
  /** Stands where a panel would be too big. */
  fallback?: ReactNode;
}

/** Keeps an error in one part of the page there: every other part goes on. */
export class ErrorBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate({ resetKey }: Props) {
    if (resetKey !== this.props.resetKey && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    const { children, fallback } = this.props;
    if (error === undefined) return children;
    if (fallback !== undefined) return fallback;
    return <ErrorPanel error={error} retry={() => void this.retry()} />;
  }

  private async retry(): Promise<void> {
    const { reload = reloadAll } = this.props;
    await reload();
    this.setState({ error: undefined });
  }
}

/** What is not shown now may be what could not be shown: it is forgotten. */
function reloadAll(): Promise<void> {
  queryClient.removeQueries({ type: 'inactive' });
  return queryClient.refetchQueries({ type: 'active' });
}
