export { type Listener, type ListenSettings, listen } from './listen.js';
export { OperatorError } from './operator-error.js';
export { runCommand, runProgram } from './run-program.js';
export { readSecret, readSettings, Setting, SettingsError, type Source, settingsTable } from './settings.js';
export { isWiring } from './wiring.js';
