import { MAX_INT32 } from '@rampart/domain';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { IntegerText } from '../validation/query-values.js';

const INTEGER = { message: `Input should be an integer from 0 to ${MAX_INT32}` };

/** Which part of a list to return. */
export class Page {
  /** How many entries to skip. Absent means none. */
  @Max(MAX_INT32, INTEGER)
  @Min(0, INTEGER)
  @IsInt(INTEGER)
  @IntegerText()
  @IsOptional()
  offset?: number;

  /** The maximum number of entries. Absent or 0 means all entries after the offset. */
  @Max(MAX_INT32, INTEGER)
  @Min(0, INTEGER)
  @IsInt(INTEGER)
  @IntegerText()
  @IsOptional()
  limit?: number;
}

/** Converts a page to the options of TypeORM's `find`. */
export const windowOf = ({ offset, limit }: Page): { skip: number; take?: number } => ({
  skip: offset ?? 0,
  ...(limit ? { take: limit } : {}),
});
