import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { selfQuery } from '../api/queries';
import { queryClient } from '../ui/feedback/query-client';
import { startLanguage } from '../ui/i18n/i18n';
import { shareNonce } from '../ui/nonce';
import '../ui/styles.css';
import { App } from './app';
import { router } from './router';

/** What a page has shown instead of an error is known to its user; developers find it here. */
const warn = (error: unknown) => console.warn(error);

shareNonce();
// The texts, the first answer of the API and the parts of the page come at the same time.
const texts = startLanguage();
void queryClient.prefetchQuery(selfQuery);
void router.load();
await texts;
createRoot(document.getElementById('root') as HTMLElement, { onCaughtError: warn, onRecoverableError: warn }).render(
  <QueryClientProvider client={queryClient}>
    <App />
  </QueryClientProvider>,
);
