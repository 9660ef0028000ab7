import type { Diagnostic } from '@codemirror/lint';
import { Button, Group, Skeleton, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../api/api-error';
import type { Core } from '../../api/types';
import { confirm } from '../../ui/feedback/confirm';
import { Notice } from '../../ui/feedback/notice';
import { messageOf } from '../../ui/feedback/notify';
import { fieldProblems } from '../../ui/form/field-errors';
import { useUnsaved } from '../../ui/form/use-unsaved';
import { Page } from '../../ui/page';
import classes from './core-editor.module.css';
import { CorePanel } from './core-panel';
import { checkQuery } from './core-queries';
import { questionsAbout } from './core-questions';
import type { EditorHandle } from './json-editor';
import { lineOfMistake, placeInText } from './place-in-text';
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
  const [privateNetworks, setPrivateNetworks] = useState(core.private_networks);
  const handle = useRef<EditorHandle>(undefined);
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const { data: check, error: checkError } = useQuery({
    ...checkQuery(core, name, settled, privateNetworks),
    placeholderData: keepPreviousData,
  });
  const save = useSaveCore(core, version, onReload);
  const areNetworksEdited = privateNetworks.join() !== core.private_networks.join();
  const isDirty = text !== before || name !== core.name || areNetworksEdited;
  const saved = save.isSuccess ? save.variables : undefined;
  const isSaved =
    saved?.config === text && saved.name === name && saved.privateNetworks.join() === privateNetworks.join();
  useUnsaved(() => isDirty && !isSaved);
  // A text that cannot be read at all is answered by an error about the field.
  const { config: unreadable, private_networks: networkProblem } = checkError ? fieldProblems(checkError) : {};
  const diagnostics = useMemo<Diagnostic[]>(
    () => [
      ...(unreadable === undefined
        ? []
        : [{ ...lineOfMistake(settled, unreadable), severity: 'error' as const, message: unreadable }]),
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
    [check, settled, unreadable],
  );
  const isRefused = (unreadable ?? networkProblem) !== undefined || (check?.errors.length ?? 0) > 0;
  const draft = { name, config: text, privateNetworks };
  const store = (restart: boolean) => save.mutate({ ...draft, restart });
  const { saveOnly, apply } = questionsAbout(check?.difference ?? undefined);
  const applyNow = () => store(true);
  const askToApply = () => (apply ? confirm({ ...apply, onConfirm: applyNow }) : applyNow());
  const saveAlone = () => (saveOnly ? confirm({ ...saveOnly, onConfirm: () => store(false) }) : store(false));
  return (
    <Page
      title={core.name}
      actions={
        <>
          <Button variant="default" disabled={!isDirty || isRefused} loading={save.isPending} onClick={saveAlone}>
            {t('common.save')}
          </Button>
          <Button disabled={isRefused} loading={save.isPending} onClick={askToApply}>
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
              onClick={() => save.mutate({ ...draft, restart: save.variables?.restart ?? false, isForced: true })}
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
      <TagsInput
        label={t('cores.privateNetworks')}
        placeholder="10.1.0.0/16"
        maw={420}
        value={privateNetworks}
        onChange={setPrivateNetworks}
        error={networkProblem}
      />
      <RealityButton handle={handle} />
      <div className={classes.columns}>
        <div>
          {diagnostics.length > 0 && (
            <div className={classes.summary}>
              <Notice tone="warning" title={t('cores.below', { count: diagnostics.length })} />
            </div>
          )}
          <Suspense fallback={<Skeleton height="62vh" />}>
            <JsonEditor
              text={before}
              onChange={setText}
              diagnostics={diagnostics}
              label={t('cores.configuration')}
              handle={handle}
            />
          </Suspense>
        </div>
        <CorePanel
          coreId={core.id}
          text={settled}
          check={check}
          problem={checkError ? (unreadable ?? messageOf(checkError)) : undefined}
        />
      </div>
    </Page>
  );
}
