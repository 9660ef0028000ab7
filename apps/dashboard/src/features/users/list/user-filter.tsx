import { Autocomplete, Kbd } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { adminsQuery, groupsQuery, selfQuery } from '../../../api/queries';
import { IconSearch } from '../../../ui/icons';
import { useShortcuts } from '../../../ui/shortcuts/shortcuts';
import type { UserSearch } from '../user-search';
import { filterText, parseFilterText, suggestions } from './filter-text';

const TYPING_MS = 300;

/** The search field: words, and filters such as `is:expired` that it completes. */
export function UserFilter({
  search,
  onChange,
}: {
  search: UserSearch;
  onChange: (next: Partial<UserSearch>) => void;
}) {
  const { t } = useTranslation();
  const { data: self } = useQuery(selfQuery);
  const { data: groupList } = useQuery({ ...groupsQuery, enabled: self?.is_sudo === true });
  const { data: admins } = useQuery({ ...adminsQuery, enabled: self?.is_sudo === true });
  const names = { groups: groupList?.groups ?? [], admins: admins?.map(({ username }) => username) ?? [] };
  const shown = filterText(search, names);
  const [text, setText] = useState(shown);
  const field = useRef<HTMLInputElement>(null);
  const isFocused = () => document.activeElement === field.current;
  useEffect(() => {
    if (!isFocused()) setText(shown);
  }, [shown]);
  useShortcuts([{ keys: '/', label: t('users.searchHint'), run: () => field.current?.focus() }]);
  const apply = useDebouncedCallback(
    (next: string) => onChange({ ...parseFilterText(next, names), at: undefined }),
    TYPING_MS,
  );
  return (
    <Autocomplete
      ref={field}
      value={text}
      onChange={(next) => {
        setText(next);
        apply(next);
      }}
      onBlur={apply.flush}
      data={suggestions(text, names)}
      filter={({ options }) => options}
      leftSection={<IconSearch size={16} />}
      rightSection={<Kbd size="xs">/</Kbd>}
      placeholder={t('users.searchHint')}
      aria-label={t('users.searchHint')}
      maxLength={500}
      flex="1 1 280px"
      maw={520}
    />
  );
}
