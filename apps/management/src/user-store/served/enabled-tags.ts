/** SQL: the inbound tags of all enabled groups of the row of `users`, each once. */
export const ENABLED_TAGS = `coalesce((
  SELECT array_agg(DISTINCT tag ORDER BY tag)
  FROM user_groups JOIN groups ON groups.id = user_groups.group_id CROSS JOIN unnest(groups.inbound_tags) tag
  WHERE user_groups.user_id = users.id AND NOT groups.is_disabled
), '{}')`;
