import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** The text that a search matches. Triggers on users keep it. */
@Entity('user_searches')
// Only the name of this index: its definition is in database/schema, because TypeORM cannot express it.
@Index('user_searches_words', { synchronize: false })
export class UserSearch {
  @PrimaryColumn({ type: 'integer' })
  userId: number;

  /** Name and note in lower case, separated by a line break. */
  @Column({ type: 'text' })
  words: string;
}
