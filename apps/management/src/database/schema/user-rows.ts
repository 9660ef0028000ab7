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

  // A transaction that deletes users or groups holds the revision counter, so no membership can be added meanwhile.
  `CREATE FUNCTION delete_user_rows() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM user_groups USING went WHERE user_id = went.id;
      DELETE FROM user_searches USING went WHERE user_id = went.id;
      DELETE FROM user_revisions USING went WHERE user_id = went.id;
      DELETE FROM user_proxy_settings USING went WHERE user_id = went.id;
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
