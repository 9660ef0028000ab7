import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../../../api/client';
import type { ApiToken } from '../../../api/types';
import { confirm } from '../../../ui/feedback/confirm';
import { useFormat } from '../../../ui/i18n/format';
import { wordsOf } from '../../../ui/i18n/words';
import { IconDelete, IconPlus } from '../../../ui/icons';
import { QueryView } from '../../../ui/list/query-view';
import { RowActions } from '../../../ui/list/row-actions';
import { SimpleTable } from '../../../ui/list/simple-table';
import { ShownOnce } from '../../../ui/share/shown-once';
import { tokensQuery } from './access-queries';
import { CreateToken } from './create-token';

/** The API tokens of an admin, with which programs log in. */
export function TokenList({ admin }: { admin: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const tokens = useQuery(tokensQuery(admin));
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const remove = useMutation({
    mutationFn: (id: number) => dataOf(api.DELETE('/api/token/{token_id}', { params: { path: { token_id: id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const ask = ({ id, name }: ApiToken) =>
    confirm({
      title: t('admins.revokeTitle', { name }),
      text: t('admins.revokeText'),
      action: t('admins.revoke'),
      onConfirm: () => remove.mutate(id),
    });
  const removeAll = useMutation({
    mutationFn: () => dataOf(api.DELETE('/api/admin/tokens', { params: { query: { admin } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  });
  const askAll = () =>
    confirm({
      title: t('admins.revokeAllTitle', { username: admin }),
      text: t('admins.revokeAllText'),
      action: t('admins.revokeAll'),
      onConfirm: () => removeAll.mutate(),
    });
  return (
    <Stack gap="sm">
      <QueryView query={tokens}>
        {({ tokens: list }) =>
          list.length === 0 ? (
            <Text size="sm" c="var(--quiet)">
              {t('admins.noTokens')}
            </Text>
          ) : (
            <SimpleTable
              label={t('admins.tokens')}
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                {
                  id: 'name',
                  header: t('users.name'),
                  cell: ({ name, scope, grants }: ApiToken) => (
                    <>
                      <strong>
                        <bdi>{name}</bdi>
                      </strong>
                      <div>
                        {[
                          wordsOf(`admins.scopes.${scope}`) ?? scope,
                          ...grants.map((grant) => wordsOf(`admins.grants.${grant}`) ?? grant),
                        ].join(', ')}
                      </div>
                    </>
                  ),
                },
                {
                  id: 'expires',
                  header: t('users.expires'),
                  isWide: true,
                  cell: ({ expires_at: at }: ApiToken) => (at === null ? t('users.never') : format.day(at)),
                },
                {
                  id: 'used',
                  header: t('admins.lastUsed'),
                  cell: ({ last_used_at: at }: ApiToken) => (at === null ? t('users.never') : format.relative(at)),
                },
                {
                  id: 'menu',
                  header: t('common.actions'),
                  cell: (token: ApiToken) => (
                    <RowActions
                      name={token.name}
                      actions={[{ label: t('admins.revoke'), icon: IconDelete, run: () => ask(token) }]}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </QueryView>
      <Group>
        <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          {t('admins.createToken')}
        </Button>
        {tokens.data && tokens.data.total > 0 && (
          <Button variant="default" leftSection={<IconDelete size={16} />} onClick={askAll}>
            {t('admins.revokeAll')}
          </Button>
        )}
      </Group>
      {isCreating && (
        <CreateToken
          admin={admin}
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreating(false);
            setCreated(token);
          }}
        />
      )}
      {created && (
        <ShownOnce
          title={t('admins.newToken')}
          warning={t('admins.newTokenText')}
          text={created}
          onClose={() => setCreated(undefined)}
        />
      )}
    </Stack>
  );
}
