import { useDebouncedValue } from '@mantine/hooks';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listUsers } from '../../api/list-users';
import { coresQuery, nodesQuery, selfQuery } from '../../api/queries';
import { IconActivity, IconCore, IconNodes, IconUser } from '../../ui/icons';
import { useAllShortcuts } from '../../ui/shortcuts/shortcuts';
import { PAGES } from '../navigation';

export interface PaletteItem {
  id: string;
  icon: typeof IconUser;
  label: string;
  note?: string;
  keys?: string;
  run: () => void;
}

const TYPING_MS = 150;
const USERS = 6;
const SERVERS = 6;
const OWN_KEY = 'mod+k';

export interface PaletteItems {
  items: PaletteItem[];
  /** Whether all users, nodes and cores that match the text are among them. */
  areComplete: boolean;
}

/** A query that fails is tried again, which nobody should have to wait for. */
const isAwaited = ({ isLoading, failureCount }: UseQueryResult): boolean => isLoading && failureCount === 0;

/** What the palette offers for a text: users, nodes, cores, actions and pages whose names contain it. */
export function usePaletteItems(text: string): PaletteItems {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const shortcuts = useAllShortcuts();
  const typed = text.trim();
  const [search] = useDebouncedValue(typed, TYPING_MS);
  const usersFound = useQuery({
    queryKey: ['users', 'palette', search],
    queryFn: ({ signal }) => listUsers(['username', 'note'], { search, limit: USERS, sort: '-online_at' }, signal),
    enabled: search.length > 0,
  });
  const words = typed.toLocaleLowerCase();
  const { data: self } = useQuery(selfQuery);
  const isSought = words !== '' && self?.is_sudo === true;
  const nodesFound = useQuery({ ...nodesQuery, enabled: isSought });
  const coresFound = useQuery({ ...coresQuery, enabled: isSought });
  const isNamed = ({ name }: { name: string }) => isSought && name.toLocaleLowerCase().includes(words);
  const actions = shortcuts
    .filter(({ keys, label }) => keys !== OWN_KEY && label.toLocaleLowerCase().includes(words))
    .map(({ keys, label, run }) => {
      const page = PAGES.find(({ letter }) => keys === `g ${letter}`);
      return { id: `keys:${keys}`, icon: page?.icon ?? IconActivity, label, keys, run };
    });
  const users = (search && words ? (usersFound.data?.users ?? []) : []).map(({ username, note }) => ({
    id: `user:${username}`,
    icon: IconUser,
    label: username,
    note: note?.slice(0, 40) ?? t('nav.users'),
    run: () => void navigate({ to: '/users/$username', params: { username } }),
  }));
  const servers = [
    ...(nodesFound.data ?? []).filter(isNamed).map(({ id, name }) => ({
      id: `node:${id}`,
      icon: IconNodes,
      label: name,
      note: t('nav.nodes'),
      run: () => void navigate({ to: '/nodes' }),
    })),
    ...(coresFound.data?.cores ?? []).filter(isNamed).map(({ id, name }) => ({
      id: `core:${id}`,
      icon: IconCore,
      label: name,
      note: t('nav.cores'),
      run: () => void navigate({ to: '/cores/$id', params: { id: String(id) } }),
    })),
  ].slice(0, SERVERS);
  return {
    items: [...users, ...servers, ...actions],
    areComplete: search === typed && ![usersFound, nodesFound, coresFound].some(isAwaited),
  };
}
