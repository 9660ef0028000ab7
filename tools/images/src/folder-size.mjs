import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of all files and links below a folder. Links are not followed. */
export function filesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** The sum of the sizes of all files below a folder, in bytes; links count as themselves. */
export const folderSize = (folder) => filesBelow(folder).reduce((bytes, path) => bytes + lstatSync(path).size, 0);

/** A number of bytes in megabytes (10^6 bytes) with one digit, such as "123.4 MB". */
export const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
