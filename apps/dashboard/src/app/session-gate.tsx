import { Center, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RouterContextProvider, RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/api-error';
import { selfQuery } from '../api/queries';
import { rememberLogin, sessionState } from '../api/session-state';
import { stepUp } from '../api/step-up';
import { ErrorPanel } from '../ui/feedback/error-panel';
import { withTexts } from '../ui/i18n/i18n';
import { router } from './router';

const LoginPage = lazy(async () => ({ default: (await import('../features/session/login-page')).LoginPage }));
const Preferences = lazy(async () => ({ default: (await import('./shell/preferences')).Preferences }));
const SetUpTotp = lazy(async () => ({ default: (await withTexts('admins', import('./set-up-totp'))).SetUpTotp }));
const LoginAgain = lazy(async () => ({ default: (await import('../features/session/login-again')).LoginAgain }));
const StepUpDialog = lazy(async () => ({
  default: (await import('../features/session/step-up-dialog')).StepUpDialog,
}));

/** Shows the pages to those who are logged in, and the login to all others. */
export function SessionGate() {
  const { t } = useTranslation();
  const state = useSyncExternalStore(sessionState.subscribe, sessionState.get);
  const isStepUpAsked = useSyncExternalStore(stepUp.subscribe, stepUp.isAsked);
  const { data: self, error, refetch } = useQuery(selfQuery);
  const isRefused = error !== null && ApiError.from(error).status === 401;
  const isLoggedIn = self !== undefined && state === 'open';
  useEffect(() => {
    if (isLoggedIn || isRefused) rememberLogin(isLoggedIn);
  }, [isLoggedIn, isRefused]);
  if (self?.must_set_up_totp && state === 'open')
    return (
      // Dialogs with fields hold the router up while something is typed.
      <RouterContextProvider router={router}>
        <Suspense>
          <SetUpTotp admin={self.username} preferences={<Preferences />} />
        </Suspense>
      </RouterContextProvider>
    );
  if (self)
    return (
      <>
        <RouterProvider router={router} />
        <Suspense>{isStepUpAsked && <StepUpDialog />}</Suspense>
        <Suspense>{state === 'ended' && <LoginAgain />}</Suspense>
      </>
    );
  if (isRefused)
    return (
      <Suspense>
        <LoginPage preferences={<Preferences />} />
      </Suspense>
    );
  if (error) return <ErrorPanel error={error} retry={() => void refetch()} />;
  return (
    <Center mih="100dvh">
      <Loader aria-label={t('common.loading')} />
    </Center>
  );
}
