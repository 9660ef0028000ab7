import { askEarly } from '../api/early-answers';
import { wasLoggedIn } from '../api/session-state';
import { firstUsersRequest } from '../features/users/list/first-request';
import { preferredLanguage } from '../ui/i18n/languages';
import { loadTexts } from '../ui/i18n/texts';

const ignore = () => undefined;

// This small file asks for what the page shows first while the program of the page is still loaded and compiled.
if (wasLoggedIn()) {
  askEarly('/api/admin');
  if (/^\/dashboard\/users(?:\/|$)/.test(location.pathname)) {
    askEarly('/api/users', firstUsersRequest(location.search));
    import('../features/users/list/users-page').catch(ignore);
  }
}
loadTexts(preferredLanguage()).catch(ignore);
