import { Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CoreCheck } from '../../api/types';
import { Notice } from '../../ui/feedback/notice';
import classes from './core-editor.module.css';
import { CoreNodes } from './core-nodes';
import { Difference } from './difference';
import { Findings } from './findings';

interface Props {
  coreId: number;
  check: CoreCheck | undefined;
  /** Why the text could not be checked. */
  problem: string | undefined;
}

/** What stands beside the editor of a core: what is wrong, what a save would change, and how far the nodes are with what is saved. */
export function CorePanel({ coreId, check, problem }: Props) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm" component="section" aria-label={t('cores.beside')} className={classes.panel}>
      {problem !== undefined && (
        <Notice tone="bad" isAlert>
          <div dir="auto">{problem}</div>
        </Notice>
      )}
      {check && problem === undefined && (
        <>
          <Findings errors={check.errors} warnings={check.warnings} />
          {check.difference && <Difference difference={check.difference} />}
        </>
      )}
      <CoreNodes coreId={coreId} />
    </Stack>
  );
}
