import { access, constants, mkdir } from 'node:fs/promises';
import { messageOf, OperatorError } from '@rampart/program';

/** Makes the data folder where it is missing. @throws OperatorError when this account cannot use it */
export async function prepareDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new OperatorError(
      `cannot use the data folder (RAMPART_DATA_DIR): ${messageOf(cause)}. It has to belong to the account of management`,
      { cause },
    );
  }
}
