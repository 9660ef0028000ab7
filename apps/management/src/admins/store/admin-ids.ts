/** SQL: the ids of the admins with these names, a list of texts in place of `?`. */
export const ADMIN_IDS_OF_NAMES = 'SELECT id FROM admins WHERE username = ANY (?::text[])';
/** SQL: the id of the admin with this name, a text in place of `?`. */
export const ADMIN_ID_OF_NAME = '(SELECT id FROM admins WHERE username = ?)';
