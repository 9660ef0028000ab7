/**
 * Triggers that maintain the rows of users and groups. They run once per statement, whereas a foreign key is checked
 * for each row, which took a third of the time of creating many users.
 */
export const USER_TRIGGERS = [
  // Only inserts and deletes of memberships change the size of a group. Counting all members takes longer than a list
  // of groups may.
  `CREATE FUNCTION count_group_users() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' AND EXISTS (
        SELECT FROM (SELECT DISTINCT user_id FROM changed) given WHERE NOT EXISTS (SELECT FROM users WHERE id = user_id)
        UNION ALL
        SELECT FROM (SELECT DISTINCT group_id FROM changed) given WHERE NOT EXISTS (SELECT FROM groups WHERE id = group_id)
      ) THEN
        RAISE foreign_key_violation USING MESSAGE = 'a user or a group of these memberships does not exist';
      END IF;
      UPDATE groups SET total_users = total_users + CASE TG_OP WHEN 'INSERT' THEN counted.users ELSE -counted.users END
      FROM (SELECT group_id, count(*) AS users FROM changed GROUP BY group_id) counted
      WHERE groups.id = counted.group_id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER user_groups_came AFTER INSERT ON user_groups
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_group_users()`,
  `CREATE TRIGGER user_groups_went AFTER DELETE ON user_groups
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_group_users()`,

  // What a node reports of a user counts while, and shortly after, the user may use an inbound of the node: who loses one is
  // remembered here, so that no statement that takes it away can forget it.
  `CREATE FUNCTION remember_group_tags() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO past_group_tags (group_id, tag, until)
      SELECT DISTINCT OLD.id, tag, clock_timestamp() FROM unnest(OLD.inbound_tags) tag
      WHERE tag IS NOT NULL AND (NEW.is_disabled OR (tag = ANY (NEW.inbound_tags)) IS NOT TRUE)
      ON CONFLICT (group_id, tag) DO UPDATE SET until = excluded.until;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER groups_lost_tags AFTER UPDATE OF inbound_tags, is_disabled ON groups FOR EACH ROW
    WHEN (NOT OLD.is_disabled AND (NEW.is_disabled OR NOT OLD.inbound_tags <@ NEW.inbound_tags))
    EXECUTE FUNCTION remember_group_tags()`,
  `CREATE FUNCTION remember_user_tags() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO past_user_tags AS known (user_id, tag, until)
      SELECT user_id, tag, max(until) FROM (
        SELECT went.user_id, granted.tag, went.member_since, least(granted.until,
          CASE WHEN users.status IN ('active', 'on_hold') THEN clock_timestamp() ELSE users.served_until END) AS until
        FROM changed went JOIN users ON users.id = went.user_id
        CROSS JOIN LATERAL (
          SELECT unnest(inbound_tags) AS tag, clock_timestamp() AS until
          FROM groups WHERE groups.id = went.group_id AND NOT is_disabled
          UNION ALL SELECT tag, until FROM past_group_tags WHERE group_id = went.group_id
        ) granted
        WHERE tag IS NOT NULL AND (users.status IN ('active', 'on_hold') OR users.served_until IS NOT NULL)
      ) lost WHERE until >= member_since GROUP BY user_id, tag
      ON CONFLICT (user_id, tag) DO UPDATE SET until = greatest(known.until, excluded.until);
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER user_groups_lost AFTER DELETE ON user_groups
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION remember_user_tags()`,

  // A transaction that deletes users or groups holds the revision counter, so no membership can be added meanwhile.
  `CREATE FUNCTION delete_user_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM user_groups USING went WHERE user_id = went.id;
      DELETE FROM user_searches USING went WHERE user_id = went.id;
      DELETE FROM user_revisions USING went WHERE user_id = went.id;
      DELETE FROM past_user_tags USING went WHERE user_id = went.id;
      DELETE FROM user_proxy_settings USING went WHERE user_id = went.id;
      DELETE FROM user_credential_keys USING went WHERE user_id = went.id;
      DELETE FROM user_traffic_resets USING went WHERE user_id = went.id;
      DELETE FROM user_subscription_updates USING went WHERE user_id = went.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_went AFTER DELETE ON users
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION delete_user_rows()`,
  `CREATE FUNCTION delete_group_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM user_groups USING went WHERE group_id = went.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER groups_went AFTER DELETE ON groups
    REFERENCING OLD TABLE AS went FOR EACH STATEMENT EXECUTE FUNCTION delete_group_rows()`,

  // Lists return the number of all users. It is stored, because counting 100,000 rows takes longer than a list may.
  "INSERT INTO counters (name, value) VALUES ('users', 0)",
  `CREATE FUNCTION count_users() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE counters SET value = value + (SELECT CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed)
      WHERE name = 'users';
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_counted AFTER INSERT ON users
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_users()`,
  `CREATE TRIGGER users_discounted AFTER DELETE ON users
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_users()`,

  // Users are inserted many at a time, but renamed one by one.
  `CREATE FUNCTION user_words(username text, note text) RETURNS text IMMUTABLE LANGUAGE sql
    RETURN lower(username || chr(10) || coalesce(note, ''))`,
  `CREATE FUNCTION add_user_searches() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO user_searches SELECT id, user_words(username, note) FROM came;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_came AFTER INSERT ON users
    REFERENCING NEW TABLE AS came FOR EACH STATEMENT EXECUTE FUNCTION add_user_searches()`,
  `CREATE FUNCTION change_user_search() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      UPDATE user_searches SET words = user_words(NEW.username, NEW.note) WHERE user_id = NEW.id;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER users_renamed AFTER UPDATE OF username, note ON users FOR EACH ROW
    WHEN ((OLD.username, OLD.note) IS DISTINCT FROM (NEW.username, NEW.note)) EXECUTE FUNCTION change_user_search()`,
];
