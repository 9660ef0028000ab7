import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { selfQuery } from '../api/queries';
import { queryClient } from '../ui/feedback/query-client';
import { startLanguage } from '../ui/i18n/i18n';
import { shareNonce } from '../ui/nonce';
import '../ui/styles.css';
import { App } from './app';

/** What a page has shown instead of an error is known to its user; developers find it here. */
const warn = (error: unknown) => console.warn(error);

shareNonce();
// The texts and the first answer of the API come at the same time.
void queryClient.prefetchQuery(selfQuery);
await startLanguage();
createRoot(document.getElementById('root') as HTMLElement, { onCaughtError: warn, onRecoverableError: warn }).render(
  <QueryClientProvider client={queryClient}>
    <App />
  </QueryClientProvider>,
);
