import { Stack } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { CoreCheck } from '../../api/types';
import { ErrorBoundary } from '../../ui/feedback/error-panel';
import { Notice } from '../../ui/feedback/notice';
import classes from './core-editor.module.css';
import { CoreNodes } from './core-nodes';
import { Difference } from './difference';
import { Findings } from './findings';

const PublicKeys = lazy(async () => ({ default: (await import('./public-keys')).PublicKeys }));

interface Props {
  coreId: number;
  /** The text of the editor, once nobody types. */
  text: string;
  check: CoreCheck | undefined;
  /** Why the text could not be checked. */
  problem: string | undefined;
}

/** What stands beside the editor of a core: what is wrong, the public keys, what a save would change, and how far the nodes are. */
export function CorePanel({ coreId, text, check, problem }: Props) {
  const { t } = useTranslation();
  const answer = problem === undefined ? check : undefined;
  return (
    <Stack gap="sm" component="section" aria-label={t('cores.beside')} className={classes.panel}>
      {problem !== undefined && (
        <Notice tone="bad" isAlert>
          <div dir="auto">{problem}</div>
        </Notice>
      )}
      {answer && <Findings errors={answer.errors} warnings={answer.warnings} />}
      <ErrorBoundary resetKey={text}>
        <Suspense>{text.includes('realitySettings') && <PublicKeys text={text} />}</Suspense>
      </ErrorBoundary>
      {answer?.difference && <Difference difference={answer.difference} />}
      <CoreNodes coreId={coreId} />
    </Stack>
  );
}
