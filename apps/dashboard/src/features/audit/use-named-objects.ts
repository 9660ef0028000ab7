import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { coresQuery, groupsQuery, hostsQuery, nodesQuery, templatesQuery } from '../../api/queries';
import type { NamedObject } from './audit-objects';

/** The objects that have a number in the log of changes, as they are called now. */
export function useNamedObjects(): NamedObject[] {
  const { data: nodes } = useQuery(nodesQuery);
  const { data: cores } = useQuery(coresQuery);
  const { data: hosts } = useQuery(hostsQuery);
  const { data: groups } = useQuery(groupsQuery);
  const { data: templates } = useQuery(templatesQuery);
  return useMemo(() => {
    const named = (kind: string, list: readonly { id: number; name: string }[] = []) =>
      list.map(({ id, name }) => ({ target: `${kind}/${id}`, name }));
    return [
      ...named('node', nodes),
      ...named('core', cores?.cores),
      ...named(
        'host',
        hosts?.map(({ id, remark }) => ({ id, name: remark })),
      ),
      ...named('group', groups?.groups),
      ...named('user_template', templates),
    ];
  }, [nodes, cores, hosts, groups, templates]);
}
