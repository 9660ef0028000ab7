import type { Diagnostic } from '@codemirror/lint';
import { Button, Group, Skeleton, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error';
import type { Core } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { Notice } from '../../ui/feedback/notice';
import { messageOf } from '../../ui/feedback/notify';
import { useUnsaved } from '../../ui/form/use-unsaved';
import { Page } from '../../ui/page';
import { CoreNodes } from './core-nodes';
import { checkQuery } from './core-queries';
import { Difference } from './difference';
import { Findings } from './findings';
import type { EditorHandle } from './json-editor';
import { placeInText } from './place-in-text';
import { RealityButton } from './reality-button';
import { useSaveCore } from './save-core';

const JsonEditor = lazy(() => import('./json-editor'));
const TYPING_MS = 600;

/** The editor of a core: what is wrong stands at its lines, and before a save it says what the save would change. */
export function CoreEditor({ core, version, onReload }: { core: Core; version: string | null; onReload: () => void }) {
  const { t } = useTranslation();
  const before = useMemo(() => JSON.stringify(core.config, null, 2), [core]);
  const [name, setName] = useState(core.name);
  const [text, setText] = useState(before);
  const handle = useRef<EditorHandle>(undefined);
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const { data: check, error: checkError } = useQuery({
    ...checkQuery(core, name, settled),
    placeholderData: keepPreviousData,
  });
  const save = useSaveCore(core, version, onReload);
  const isDirty = text !== before || name !== core.name;
  const saved = save.isSuccess ? save.variables : undefined;
  useUnsaved(() => isDirty && !(saved?.config === text && saved.name === name));
  const diagnostics = useMemo<Diagnostic[]>(
    () => [
      ...(check?.errors ?? []).map(({ path, message }) => ({
        ...placeInText(settled, path ?? ''),
        severity: 'error' as const,
        message,
      })),
      ...(check?.warnings ?? []).map(({ path, message }) => ({
        ...placeInText(settled, path),
        severity: 'warning' as const,
        message,
      })),
    ],
    [check, settled],
  );
  const isRefused = (check?.errors.length ?? 0) > 0;
  const store = (restart: boolean) => save.mutate({ name, config: text, restart });
  const ask = () =>
    confirm({
      title: t('cores.restartTitle'),
      text: t('cores.restartText'),
      action: t('cores.saveAndRestart'),
      isDangerous: false,
      onConfirm: () => store(true),
    });
  return (
    <Page
      title={core.name}
      actions={
        <>
          <Button
            variant="default"
            disabled={!isDirty || isRefused}
            loading={save.isPending}
            onClick={() => store(false)}
          >
            {t('common.save')}
          </Button>
          <Button disabled={isRefused} loading={save.isPending} onClick={ask}>
            {t('cores.saveAndRestart')}
          </Button>
        </>
      }
    >
      {save.error && ApiError.from(save.error).status === 412 && (
        <Notice tone="warning" isAlert title={t('cores.conflictTitle')}>
          <Group mt="xs">
            {t('cores.conflictText')}
            <Button
              size="xs"
              variant="default"
              onClick={() =>
                save.mutate({ name, config: text, restart: save.variables?.restart ?? false, isForced: true })
              }
            >
              {t('cores.overwrite')}
            </Button>
          </Group>
        </Notice>
      )}
      <TextInput
        label={t('users.name')}
        maw={420}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <RealityButton handle={handle} />
      <Suspense fallback={<Skeleton height="62vh" />}>
        <JsonEditor
          text={before}
          onChange={setText}
          diagnostics={diagnostics}
          label={t('cores.configuration')}
          handle={handle}
        />
      </Suspense>
      <CoreNodes coreId={core.id} />
      <Stack gap="sm">
        {checkError && <Notice tone="bad" isAlert title={messageOf(checkError)} />}
        {check && <Findings errors={check.errors} warnings={check.warnings} />}
        {check?.difference && <Difference difference={check.difference} />}
      </Stack>
    </Page>
  );
}
