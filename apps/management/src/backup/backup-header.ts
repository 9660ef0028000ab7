import { plainToInstance, Type } from 'class-transformer';
import {
  ArrayNotEmpty,
  IsArray,
  IsInt,
  IsISO8601,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Min,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { BackupError } from './backup-error.js';

/** One of the secret keys of the installation, in base64. */
export class BackedUpKey {
  @IsString()
  current: string;

  /** The key before it, while a rotation is under way. */
  @IsOptional()
  @IsString()
  previous?: string;
}

export class BackedUpKeys {
  @IsObject()
  @Type(() => BackedUpKey)
  @ValidateNested()
  jwt: BackedUpKey;

  @IsObject()
  @Type(() => BackedUpKey)
  @ValidateNested()
  subscription: BackedUpKey;

  @IsObject()
  @Type(() => BackedUpKey)
  @ValidateNested()
  atRest: BackedUpKey;
}

export class BackedUpTable {
  @IsString()
  name: string;

  /** The columns in the order of the rows, without generated ones. */
  @IsString({ each: true })
  columns: string[];

  @IsInt()
  @Min(0)
  rows: number;
}

export class BackedUpPartition {
  /** The partitioned table. */
  @IsString()
  table: string;

  /** The first day of the partition, such as `2026-11-01`. */
  @Matches(/^\d{4}-\d\d-\d\d$/)
  start: string;
}

export class BackedUpSequence {
  @IsString()
  name: string;

  /** The last number that it has given; null: none yet. */
  @IsOptional()
  @Matches(/^-?\d+$/)
  last: string | null;
}

/** What a backup contains. It precedes the rows, as one line of JSON. */
export class BackupHeader {
  /** The version of the program that made the backup. */
  @IsString()
  program: string;

  @IsISO8601()
  createdAt: string;

  /** The public key of the installation that has signed the backup, in base64; absent in a backup without a signature. */
  @IsOptional()
  @IsString()
  signer?: string;

  /** The names of the migrations that had made the tables, oldest first. */
  @ArrayNotEmpty()
  @IsString({ each: true })
  migrations: string[];

  @IsObject()
  @Type(() => BackedUpKeys)
  @ValidateNested()
  keys: BackedUpKeys;

  /** The tables in the order of their rows: no row refers to one of a later table. */
  @IsArray()
  @Type(() => BackedUpTable)
  @ValidateNested({ each: true })
  tables: BackedUpTable[];

  @IsArray()
  @Type(() => BackedUpPartition)
  @ValidateNested({ each: true })
  partitions: BackedUpPartition[];

  @IsArray()
  @Type(() => BackedUpSequence)
  @ValidateNested({ each: true })
  sequences: BackedUpSequence[];
}

export const rowsOf = ({ tables }: Pick<BackupHeader, 'tables'>): number =>
  tables.reduce((sum, { rows }) => sum + rows, 0);

/** @throws BackupError, whose message tells nothing of the content: there are keys in it */
export function parseHeader(line: string): BackupHeader {
  const header = plainToInstance(BackupHeader, parseObject(line));
  const problems = validateSync(header);
  if (problems.length === 0) return header;
  throw new BackupError(`The backup has an invalid header: ${problems.map(({ property }) => property).join(', ')}`);
}

function parseObject(line: string): object {
  try {
    return Object(JSON.parse(line));
  } catch {
    throw new BackupError('The backup has a header that is not JSON');
  }
}
